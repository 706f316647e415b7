"use strict";
// The pages of kbe review beyond their form: what is sent to the server, and the next question without a reload.

let busy = false;

function ask(words) {
  const dialog = byId("asking");
  byId("asking-words").textContent = words;
  dialog.returnValue = "no";
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true });
  });
}

async function request(address, options = {}) {
  const answer = await fetch(address, { ...options, headers: { accept: "application/json" } });
  const text = await answer.text();
  try {
    return JSON.parse(text);
  } catch {
    return { error: text };
  }
}

function put(page, moves = true) {
  content.innerHTML = page.html; // escaped by the server, which also sends the whole page
  content.className = page.page;
  byId("progress").innerHTML = page.progress;
  document.title = page.title;
  if (moves) { history.pushState(null, "", page.address); }
  arrive();
  if (page.coming) { new Image().src = page.coming; }
  tell(page.told || "");
}

async function go(address, options, moves = true) {
  if (busy) { return; }
  busy = true;
  content.classList.add("busy");
  try {
    const page = await request(address, options);
    if (page.asking) {
      busy = false;
      if (await ask(page.asking)) {
        options.body.set("insist", "yes");
        await go(address, options, moves);
      }
    } else if (page.error) {
      tell(page.error, true);
    } else {
      put(page, moves);
    }
  } catch {
    tell("The server does not respond, so nothing was saved. Restart kbe review and open its new address.", true);
  } finally {
    busy = false;
    content.classList.remove("busy");
  }
}

function send(form, button) {
  const body = new URLSearchParams(new FormData(form, button));
  if (body.has("seconds")) { body.set("seconds", seconds().toFixed(1)); }
  go(form.getAttribute("action"), { method: "POST", body });
}

content.addEventListener("change", (event) => {
  if (event.target.closest("#filters") && event.target.matches("select, input")) { event.target.form.requestSubmit(); }
});

addEventListener("popstate", () => {
  if (location.pathname === "/") { location.reload(); return; }
  go(location.href, {}, false);
});

KEYS.g = () => { location.href = document.querySelector(".brand").href; };
document.documentElement.dataset.ready = "yes"; // keys work from now on
