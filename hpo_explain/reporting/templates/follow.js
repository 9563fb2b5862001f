/* An open page is read again when its file was written anew; the reader stays where they were.
   A page cannot read its own file, but it can open it in a frame, whose head tells its version. */
(() => {
  "use strict";
  if (window.parent !== window) return;  // it is in a notebook, or looked at
  const EVERY = 3000;
  const PLACE = `hpo_explain place ${location.pathname}`;
  const shown = document.querySelector('meta[name="version"]').content;
  const marked = () => [...document.querySelectorAll("main section, main details[id]")]
    .filter((part) => part.checkVisibility());

  function leave() {
    const parts = marked();
    const read = parts.findLast((part) => part.getBoundingClientRect().top <= innerHeight / 3)
      ?? parts[0];
    const place = {
      part: read.id, top: read.getBoundingClientRect().top,
      tab: [...document.querySelectorAll(".choice")].findIndex((choice) => choice.checked),
      trials: [...document.querySelectorAll(".trials")].map((one) => one.dataset.chosen ?? ""),
    };
    history.scrollRestoration = "manual";
    try {
      sessionStorage.setItem(PLACE, JSON.stringify(place));
    } catch { /* then it begins at the top */ }
    location.reload();
  }

  async function come() {
    let place = null;
    try {
      place = JSON.parse(sessionStorage.getItem(PLACE));
      sessionStorage.removeItem(PLACE);
    } catch { /* nobody was here */ }
    if (typeof place?.part !== "string") return;
    const choice = document.querySelectorAll(".choice")[place.tab];
    if (choice) choice.checked = true;
    document.querySelectorAll(".trials").forEach((one, i) => {
      if (place.trials?.[i]) one.dataset.chosen = place.trials[i];  // read when it is unpacked
    });
    await Promise.all(making);
    const part = document.getElementById(place.part);
    if (part) {
      const top = part.getBoundingClientRect().top - place.top;
      window.scrollBy({ top, behavior: "instant" });
    }
    // the browser restores its own place, too, at any time until all is shown
    setTimeout(() => { history.scrollRestoration = "auto"; }, EVERY);
  }

  let frame = null;
  const look = () => {
    if (document.hidden) return;
    frame?.remove();
    frame = document.createElement("iframe");
    frame.hidden = true;
    frame.src = `${location.pathname}?look=${Date.now()}`;
    document.body.append(frame);
  };
  window.addEventListener("message", ({ source, data }) => {
    if (!frame || source !== frame.contentWindow || typeof data?.version !== "string") return;
    frame.remove();
    if (data.version !== shown) leave();
  });
  come();
  setInterval(look, EVERY);
  document.addEventListener("visibilitychange", look);
})();
