void launch(int *x);
