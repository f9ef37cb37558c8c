// Polls an open conversation. Without this script, the host reloads the page.

/** The interval and the number of polls limit polling to an hour. */
const POLL_INTERVAL_MS = 10_000
const MAX_POLLS = 360

const list = document.querySelector("[data-live] > ol")

/** Replaces only what changed, so that selection, focus and the text being written stay. */
const updateMessage = (shown, current) => {
  const [before, after] = [[...shown.children], [...current.children]]
  if (before.length !== after.length) shown.replaceWith(current)
  else
    before.forEach((part, index) => {
      if (!part.isEqualNode(after[index])) part.replaceWith(after[index])
    })
}

const showMessages = (messages) => {
  let previous = null
  for (const message of messages) {
    const shown = document.getElementById(message.id)
    if (shown !== null) updateMessage(shown, message)
    else if (previous === null) list.append(message)
    else previous.after(message)
    previous = document.getElementById(message.id)
  }
}

/** Returns whether to poll again: after a success, a timeout, a 429 or a 5xx. */
const poll = async () => {
  const response = await fetch(location.href, { redirect: "manual", signal: AbortSignal.timeout(POLL_INTERVAL_MS) })
  if (!response.ok) return response.status === 429 || response.status >= 500
  const page = new DOMParser().parseFromString(await response.text(), "text/html")
  showMessages(page.querySelectorAll("[data-live] > ol > li"))
  return true
}

let polls = 0
const scheduleNextPoll = () =>
  setTimeout(async () => {
    if (document.hidden) return scheduleNextPoll()
    polls += 1
    const continues = await poll().catch(() => true)
    if (continues && polls < MAX_POLLS) scheduleNextPoll()
  }, POLL_INTERVAL_MS)

if (list !== null) scheduleNextPoll()
