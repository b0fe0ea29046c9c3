"use strict";
// The review page: pairs this device, lists what waits, and signs each answer with the device's key. The key pair is
// kept in IndexedDB and cannot be exported. All texts are inserted as text, never as HTML.
const LIST = "mcp-workbench review page: list";
const ANSWER = "mcp-workbench review page: answer";
const LOOK_MS = 3000;
const SETTLE_MS = 700;
const state = document.getElementById("state");
const pairing = document.getElementById("pairing");
const section = document.getElementById("requests");
let device = null;
let shown = new Map();

function database() {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open("review-page", 1);
    opening.onupgradeneeded = () => opening.result.createObjectStore("device");
    opening.onsuccess = () => resolve(opening.result);
    opening.onerror = () => reject(opening.error);
  });
}

async function stored(mode, work) {
  const base = await database();
  return new Promise((resolve, reject) => {
    const asked = work(base.transaction("device", mode).objectStore("device"));
    asked.onsuccess = () => resolve(asked.result);
    asked.onerror = () => reject(asked.error);
  });
}

const base64 = (bytes) => btoa(String.fromCharCode(...new Uint8Array(bytes)));
const hex = (bytes) => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("");
const utf8 = (text) => new TextEncoder().encode(text);

async function sign(lines) {
  const signature = await crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, device.key, utf8(lines.join("\n")));
  return base64(signature);
}

async function send(path, message) {
  const answer = await fetch(path, {
    method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(message), credentials: "omit",
  });
  const body = await answer.json();
  if (!answer.ok) throw new Error([body.error, body.hint].filter(Boolean).join(" "));
  return body;
}

async function pair(code, name) {
  const keys = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, ["sign", "verify"]);
  const publicKey = base64(await crypto.subtle.exportKey("raw", keys.publicKey));
  const answer = await send("/pair", { code, name, public_key: publicKey });
  device = { id: answer.device, name: answer.name, key: keys.privateKey };
  await stored("readwrite", (store) => store.put(device, "mine"));
}

async function load() {
  const at = Date.now();
  const nonce = base64(crypto.getRandomValues(new Uint8Array(18)));
  const signature = await sign([LIST, device.id, String(at), nonce]);
  return send("/requests", { device: device.id, at, nonce, signature });
}

async function answer(item, allow, reason) {
  const digest = hex(await crypto.subtle.digest("SHA-256", utf8(reason)));
  const lines = [ANSWER, device.id, item.id, item.fingerprint, item.challenge, allow ? "allow" : "deny", digest];
  const signature = await sign(lines);
  return send("/answer", {
    device: device.id, request: item.id, fingerprint: item.fingerprint, challenge: item.challenge, allow, reason, signature,
  });
}

function element(tag, text, ...classes) {
  const made = document.createElement(tag);
  if (text) made.textContent = text;
  made.classList.add(...classes);
  return made;
}

function left(item, now) {
  const seconds = Math.max(0, Math.round(item.deadline - now));
  return seconds > 5400 ? `${Math.round(seconds / 3600)} h left` : seconds > 90 ? `${Math.round(seconds / 60)} min left` : `${seconds} s left`;
}

function card(item, now) {
  const made = element("article");
  made.dataset.id = item.id;
  const head = element("div", "", "head");
  head.append(element("span", item.agent), element("span", `${item.risk} risk`, "risk", item.risk), element("span", left(item, now), "left"));
  made.append(head, element("p", item.sentence, "sentence"));
  if (item.facts.length) {
    const list = element("ul");
    for (const fact of item.facts) list.append(element("li", fact));
    made.append(list);
  }
  for (const note of item.notes) made.append(element("p", note, "note"));
  if (item.claimed) made.append(element("p", `The agent claims: ${item.claimed}`, "claimed"));
  const details = element("details");
  const what = { program: "Program", call: "Arguments", answer: "Answer" }[item.kind];
  details.append(element("summary", what), element("pre", item.body));
  if (item.cut) details.append(element("p", "The rest is not shown here. Open it in the workbench.", "note"));
  made.append(details);
  const reason = element("input");
  reason.placeholder = "Reason, for the agent (optional)";
  reason.setAttribute("aria-label", "Reason, for the agent");
  reason.maxLength = 500;
  const answers = element("div", "", "answers");
  const deny = element("button", "Deny");
  const allow = element("button", item.allowable ? "Allow…" : "Allow in the workbench only", "allow");
  deny.disabled = allow.disabled = true;
  setTimeout(() => { deny.disabled = false; allow.disabled = !item.allowable; }, SETTLE_MS);
  deny.addEventListener("click", () => decide(made, false, reason.value));
  allow.addEventListener("click", () => {
    if (allow.classList.contains("sure")) { decide(made, true, ""); return; }
    allow.textContent = "Allow once";
    allow.classList.add("sure");
    allow.disabled = true;
    setTimeout(() => { allow.disabled = false; }, SETTLE_MS);
  });
  answers.append(deny, allow);
  made.append(reason, answers);
  return made;
}

async function decide(made, allow, reason) {
  const item = shown.get(made.dataset.id);
  for (const button of made.querySelectorAll("button")) button.disabled = true;
  try {
    state.textContent = (await answer(item, allow, reason)).message;
    shown.delete(item.id);
    made.remove();
  } catch (fault) {
    made.append(element("p", fault.message, "fault"));
  }
  await show();
}

async function show() {
  let found;
  try {
    found = await load();
  } catch (fault) {
    state.textContent = fault.message;
    if (/not paired|signature/.test(fault.message)) showPairing();
    return;
  }
  const now = found.now;
  const ids = new Set(found.requests.map((item) => item.id));
  for (const made of section.querySelectorAll("article")) {
    const before = shown.get(made.dataset.id);
    const after = found.requests.find((item) => item.id === made.dataset.id);
    if (!ids.has(made.dataset.id) || before.fingerprint !== after.fingerprint) made.remove();
  }
  shown = new Map(found.requests.map((item) => [item.id, item]));
  for (const item of found.requests) {
    const made = section.querySelector(`article[data-id="${CSS.escape(item.id)}"]`);
    if (made) made.querySelector(".left").textContent = left(item, now);
    else section.append(card(item, now));
  }
  const count = found.requests.length;
  state.textContent = count ? `${count} waiting` : "Nothing waits for you.";
  document.title = count ? `(${count}) Review` : "Review";
}

function showPairing() {
  pairing.hidden = false;
  section.hidden = true;
}

function showRequests() {
  pairing.hidden = true;
  section.hidden = false;
}

document.getElementById("pairing-form").addEventListener("submit", async (event) => {
  event.preventDefault();
  try {
    await pair(document.getElementById("code").value, document.getElementById("name").value);
    history.replaceState(null, "", "/");
    showRequests();
    await show();
  } catch (fault) {
    state.textContent = fault.message;
  }
});

async function begin() {
  if (!window.isSecureContext || !crypto.subtle) {
    state.textContent = "This page needs https, or localhost. Use a tunnel that offers https.";
    return;
  }
  device = await stored("readonly", (store) => store.get("mine"));
  const code = location.hash.slice(1);
  document.getElementById("code").value = code;
  document.getElementById("name").value = /Android|iPhone|iPad/.exec(navigator.userAgent)?.[0] ?? "Browser";
  if (!device || code) { showPairing(); return; }
  showRequests();
  await show();
}

setInterval(() => { if (device && !section.hidden && !document.hidden) show(); }, LOOK_MS);
begin();
