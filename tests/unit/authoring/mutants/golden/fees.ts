class C {
  f(a: number, b: number = 3): number {
    if (a < b) return 0;
    this.g(a, b);
    return a + b;
  }
}
