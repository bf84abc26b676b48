// What the contract has of exported classes and objects is read when their module is imported, and not asked for again.
// Otherwise the submission would learn which constant a test expects, and could decide what a constant is after it has
// given what the test compares with it. The contract has the word `changing` where the reference's is not what it was
// then, or is a container, whose changes both sides report.

class Constants extends Reads {
  // The last answer to `pin`.
  /** @type {any} */ tree;

  // What a module exports has come.
  pin(value, depth = 0) {
    const facts = this.facts.get(value);
    if (depth < 3 && tagOf(Object(value)) === "r")
      for (const each of Object.values(value ?? {})) this.pin(each, depth + 1);
    if (!facts?.at || facts.pins || this.isOpen) return;
    facts.pins = new Map();
    if (this.isRecording) return void this.ask(undefined, "remember", value);
    for (const key of this.contract.constants(facts.at)) {
      let found;
      try {
        found = this.ask(facts.at.member(key), "pin", value, key);
      } catch (error) {
        if (this.isLost) throw error;
        this.tree = ["k", "undefined"];
      }
      facts.pins.set(key, { found, tree: this.tree });
      this.answers.describe(this.tree);
      if (this.facts.get(found)?.kind === "class") this.pin(found);
    }
  }

  // What was read then counts as the answer to a request.
  recall({ found, tree }, at, { number }, key) {
    if (this.isLost) throw this.lost();
    const said = { parts: [[], "get", ["o", number], key], known: this.last };
    this.answers.hear(["=", 0, [], [], tree], [...this.open, { what: "get", at, said }]);
    next(() => (this.answers.hasWaited = true));
    return found;
  }

  // Record whether the reference's is what it was.
  watch({ kind, pins, self }, at, key, value) {
    if (!this.isRecording || !(pins || kind === "class")) return;
    const isLasting = !isObject(value) || this.facts.has(value);
    if (!isLasting || this.ask(undefined, "same", self, key) !== true) this.contract.note(at, "changing");
  }
}
