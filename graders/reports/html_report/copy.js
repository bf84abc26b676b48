// The buttons that copy a command, of the report and of the viewer. Without this script, the commands can be selected.

/** @param {ParentNode} place - Where commands are. */
function addCopyButtons(place) {
  for (const code of place.querySelectorAll(".again code")) {
    const button = document.createElement("button");
    button.type = "button";
    button.className = "copy";
    button.textContent = "Copy";
    button.setAttribute("aria-label", `Copy: ${code.closest("div").firstChild.textContent}`);
    button.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(code.textContent);
        button.textContent = "Copied";
      } catch {
        getSelection().selectAllChildren(code);
        button.textContent = "Selected";
      }
    });
    code.after(button);
  }
}
