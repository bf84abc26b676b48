// Returns an object that is another number, and another text, each time that it is asked for one.
class Changing {
  values = [1e9, 0, -1e9];

  [Symbol.toPrimitive]() {
    this.values.push(this.values.shift());
    return this.values[0];
  }

  get length() {
    this.values.push(this.values.shift());
    return this.values[0];
  }
}

function answer() {
  return new Changing();
}
