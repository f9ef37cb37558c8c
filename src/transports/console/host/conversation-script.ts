import { createHash } from "node:crypto"

// The one script of the console, on the page of a conversation alone: without it everything works, by loading the page again.

/** Milliseconds between two looks for what is new, and how often it looks without somebody who loads the page: for an hour. */
const POLL_INTERVAL_MS = 10_000
const MAX_POLLS = 360

/**
 * Asks for the page again while it is seen, and puts what is new of its messages, each of which has an id, beside those that are
 * shown. Those that are as they were stay as they are, with what is selected or focused in them, and so does all else of the page,
 * what is being written above all. An answer that is late, or says that there is much to do, is passed by; it ends when the page is
 * not to be had any more (who is signed out is led elsewhere), after an hour, and with the page.
 */
export const CONVERSATION_SCRIPT = `"use strict"
const list = document.querySelector("[data-live] > ol")
const renew = (shown, now) => {
  const [before, after] = [[...shown.children], [...now.children]]
  if (before.length !== after.length) shown.replaceWith(now)
  else before.forEach((part, at) => { if (!part.isEqualNode(after[at])) part.replaceWith(after[at]) })
}
const put = (messages) => {
  let last = null
  for (const message of messages) {
    const shown = document.getElementById(message.id)
    if (shown !== null) renew(shown, message)
    else if (last === null) list.append(message)
    else last.after(message)
    last = document.getElementById(message.id)
  }
}
const look = async () => {
  const response = await fetch(location.href, { redirect: "manual", signal: AbortSignal.timeout(${POLL_INTERVAL_MS}) })
  if (!response.ok) return response.status === 429 || response.status >= 500
  const page = new DOMParser().parseFromString(await response.text(), "text/html")
  put(page.querySelectorAll("[data-live] > ol > li"))
  return true
}
let looks = 0
const next = () => setTimeout(async () => {
  if (document.hidden) return next()
  looks += 1
  const goesOn = await look().catch(() => true)
  if (goesOn && looks < ${MAX_POLLS}) next()
}, ${POLL_INTERVAL_MS})
if (list !== null) next()
`

/** Its address says what is in it, so it may be kept for ever. */
export const CONVERSATION_SCRIPT_PATH = `/console/${createHash("sha256").update(CONVERSATION_SCRIPT).digest("hex").slice(0, 16)}.js`
