export class Names {
  constructor(names) { this.kept = names; }
  includes(name) { return this.kept.includes(name); }
}

export class Basket {
  constructor(...names) { this.kept = names; }
  get names() { return new Names(this.kept); }
}

export class Receipt {
  constructor(basket) { this.basket = basket; }
  get names() { return this.basket.kept.map((name) => name.toUpperCase()); }
  toString() { return this.names.join(", "); }
}

export const receipt = (names) => [new Names(names), `You bought: ${names.join(", ")}`];

// @canary@
