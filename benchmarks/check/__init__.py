"""`surefoot check` on whole programs: each as it is, and with one defect at a time."""
