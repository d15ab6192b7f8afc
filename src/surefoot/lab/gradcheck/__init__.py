"""`surefoot gradcheck`: custom gradients against finite differences, on tiny inputs of double precision."""
