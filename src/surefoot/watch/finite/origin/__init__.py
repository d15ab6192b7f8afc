"""Where the first NaN or Inf came from, read off the graph behind the loss."""
