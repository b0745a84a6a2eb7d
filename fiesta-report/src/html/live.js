"use strict";
// Takes in the parts of the page that have changed, and says whether they come.
(() => {
  const SILENT = 30_000, AGAIN = 3_000;
  const connection = document.getElementById("connection");
  const shown = new Map(), waiting = new Map();
  let source = null, heard = Date.now(), lost = null;

  const clock = time => time.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });
  const say = (state, words) => {
    if (connection.className !== "connection " + state) connection.className = "connection " + state;
    if (connection.textContent !== words) connection.textContent = words;
  };

  // What a reader has opened, moved or pointed at in a part, by names that outlive its content.
  const places = part => [...part.querySelectorAll(".scroll, pre, summary")];
  const nameOf = (part, element) => {
    const owner = element.closest("[data-key]");
    const all = owner ? [...owner.querySelectorAll(element.localName)] : places(part);
    return (owner ? owner.dataset.key : "") + " " + element.localName + " " + all.indexOf(element);
  };
  const keep = part => ({
    open: new Set([...part.querySelectorAll("details[open]")].map(d => d.dataset.key ?? d.querySelector("summary").textContent)),
    moved: new Map(places(part).map(e => [nameOf(part, e), [e.scrollLeft, e.scrollTop, e.scrollHeight - e.clientHeight - e.scrollTop < 2]])),
    focus: part.contains(document.activeElement) ? nameOf(part, document.activeElement) : null,
  });
  const restore = (part, kept) => {
    for (const details of part.querySelectorAll("details")) {
      const key = details.dataset.key ?? details.querySelector("summary").textContent;
      if (kept.open.has(key)) details.open = true;
    }
    for (const element of places(part)) {
      const name = nameOf(part, element), place = kept.moved.get(name);
      if (place) {
        element.scrollLeft = place[0];
        // A log that was read to its end is read on.
        element.scrollTop = element.localName === "pre" && place[2] ? element.scrollHeight : place[1];
      }
      if (name === kept.focus) element.focus({ preventScroll: true });
    }
  };
  const isSelected = part => {
    const selection = getSelection();
    return !selection.isCollapsed && selection.containsNode(part, true);
  };
  const replace = (id, html) => {
    if (shown.get(id) === html) return;
    const part = document.getElementById(id);
    if (!part) return;
    // A selection is not taken away: the part waits until it is gone.
    if (isSelected(part)) return void waiting.set(id, html);
    waiting.delete(id);
    const kept = keep(part);
    part.innerHTML = html;
    shown.set(id, html);
    restore(part, kept);
  };
  const take = parts => {
    const all = [...document.querySelectorAll(".part")];
    const anchor = all.find(part => part.getBoundingClientRect().bottom > 40);
    const before = anchor?.getBoundingClientRect().top;
    for (const [id, html] of Object.entries(parts)) {
      if (id === "title") document.title = html; else replace(id, html);
    }
    // What is being read stays where it is, whatever grew above it.
    if (anchor && scrollY > 0) scrollBy(0, anchor.getBoundingClientRect().top - before);
  };
  document.addEventListener("selectionchange", () => {
    for (const [id, html] of [...waiting]) replace(id, html);
  });

  const hear = () => {
    heard = Date.now();
    lost = null;
    const states = [...document.querySelectorAll(".study .tone")];
    const isOver = states.length > 0 && states.every(state => state.matches(".done"));
    // A study that has ended may be extended: the page goes on listening.
    say(isOver ? "live over" : "live", (isOver ? "finished; as of " : "live, as of ") + clock(new Date(heard)));
  };
  const lose = () => {
    lost ??= new Date(heard);
    say("lost", "connection lost; this is as of " + clock(lost) + ". Trying again; a new `fiesta watch` prints a new address.");
  };
  const connect = () => {
    source?.close();
    source = new EventSource("events");
    source.addEventListener("parts", event => { take(JSON.parse(event.data)); hear(); });
    source.addEventListener("ping", hear);
    source.onerror = () => {
      lose();
      // A refusal ends an event source for good; a lost connection does not.
      if (source.readyState === EventSource.CLOSED) setTimeout(connect, AGAIN);
    };
  };
  setInterval(() => {
    if (lost === null && Date.now() - heard > SILENT) { lose(); connect(); }
  }, 1_000);
  // A page that was put aside and fetched back has lost its connection.
  addEventListener("pageshow", event => { if (event.persisted) connect(); });
  connect();
})();
