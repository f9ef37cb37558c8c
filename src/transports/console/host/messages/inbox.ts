import { dateInZone } from "../../../../contract/time.ts"
import { OVERVIEW_THREADS_DAYS, OVERVIEW_THREADS_SCANNED, PAGE_DEFAULT } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { InboxConversation } from "../../queries/Inbox.ts"
import type { SignedInVisit } from "../../visit.ts"
import { channelName } from "../channel-names.ts"
import {
  badge,
  formatDayRange,
  formatInstant,
  link,
  pagination,
  pluralize,
  readOffsetParam,
  table,
  timeZoneNote
} from "../page-parts.ts"
import { AUTOMATION_PATH, messagesUrl } from "../urls.ts"

export const readPageRange = (visit: SignedInVisit) => ({ offset: readOffsetParam(visit), limit: PAGE_DEFAULT })

export const isUnansweredFilter = ({ query }: SignedInVisit): boolean => query.get("show") === "waiting"

export const guestName = ({ name }: { readonly name: string }): string => (name === "" ? "Guest" : name)

/** `today` is the operator's local date. */
export const inboxSection = (
  visit: SignedInVisit,
  today: string,
  { rows, total }: { readonly rows: ReadonlyArray<InboxConversation>; readonly total: number }
): Html => {
  const isUnanswered = isUnansweredFilter(visit)
  return html`<nav class="pages" aria-label="Filter">${filterLink("All", "all", !isUnanswered)} ${filterLink("Unanswered", "waiting", isUnanswered)}</nav>
<section class="inbox">
${table(
  {
    caption: `${pluralize(total, "conversation")}${isUnanswered ? UNANSWERED_SCOPE : ""}`,
    empty: isUnanswered ? ALL_ANSWERED : NO_CONVERSATIONS
  },
  [
    { label: "Guest", cell: guestCell },
    { label: "Last message", cell: previewCell, onPhone: "detail" },
    { label: "Stay", cell: stayCell, onPhone: "detail" },
    { label: "Channel", cell: ({ channel_type }) => channelName(channel_type), onPhone: "detail" },
    { label: "Time", cell: (row) => lastMessageTime(visit, today, row), onPhone: "side" }
  ],
  rows
)}${pagination(visit, { ...readPageRange(visit), total })}</section>
${timeZoneNote(visit)}`
}

const UNANSWERED_SCOPE = ` in which the guest wrote last, in the last ${OVERVIEW_THREADS_DAYS} days (newest ${OVERVIEW_THREADS_SCANNED})`

const NO_CONVERSATIONS = html`No messages yet. Messages of your connected channels appear here. ${link(AUTOMATION_PATH, "Set up automatic messages")}.`

const ALL_ANSWERED = html`All guests have an answer. ${link(messagesUrl(), "All conversations")}.`

const CURRENT_ATTRIBUTE: Html = { html: ' aria-current="page"' }

const filterLink = (label: string, show: "all" | "waiting", isCurrent: boolean): Html =>
  html`<a href="${messagesUrl(show === "waiting" ? { show } : {})}"${isCurrent ? CURRENT_ATTRIBUTE : nothing}>${label}</a>`

const guestCell = ({ id, guest, is_unanswered }: InboxConversation): Html =>
  html`${link(messagesUrl({ id }), guestName(guest))}${is_unanswered ? html` ${badge("Unanswered", "wait")}` : nothing}`

const previewCell = ({ last_message_start: start, is_last_message_ours: isOurs }: InboxConversation): Html =>
  start === null
    ? nothing
    : html`<span class="preview">${isOurs ? "You: " : ""}${start === "" ? "Attachment" : start}</span>`

const stayCell = ({ property_title, check_in_date, check_out_date }: InboxConversation): Html => {
  const nights =
    check_in_date === null || check_out_date === null
      ? nothing
      : html`<span class="whole">${formatDayRange(check_in_date, check_out_date)}</span>`
  return property_title === "" ? nights : html`${nights} <span class="soft">${property_title}</span>`
}

/** A message of today shows its time, an earlier one its date. */
const lastMessageTime = ({ session }: SignedInVisit, today: string, { last_message_at }: InboxConversation): Html => {
  const { timeZone } = session.person.caller
  const instant = new Date(last_message_at)
  const [date, full] = [dateInZone(instant, timeZone), formatInstant(instant, timeZone)]
  return html`<time datetime="${instant.toISOString()}" title="${full}">${date === today ? full.slice(-5) : formatDayRange(date, date)}</time>`
}
