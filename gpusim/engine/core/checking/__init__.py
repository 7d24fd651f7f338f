"""Looking at every access and every meeting of threads, in runs that are checked."""
