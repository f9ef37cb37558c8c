import { createHash } from "node:crypto"

// The console's only script. Without it, the host reloads the conversation page.

/** The interval and the number of polls limit polling to an hour. */
const POLL_INTERVAL_MS = 10_000
const MAX_POLLS = 360

/**
 * Replaces only changed messages, so that selection, focus and the text being written stay. Polling continues after a
 * timeout, a 429 or a 5xx.
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

export const CONVERSATION_SCRIPT_PATH = `/console/${createHash("sha256").update(CONVERSATION_SCRIPT).digest("hex").slice(0, 16)}.js`
