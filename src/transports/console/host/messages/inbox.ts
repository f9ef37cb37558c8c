import type { ListedConversation } from "../../../../domain/guests/conversations/contract.ts"
import { OVERVIEW_THREADS_DAYS, OVERVIEW_THREADS_LOOKED_AT, PAGE_DEFAULT } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { SignedInVisit } from "../../visit.ts"
import { messagesAddress } from "../addresses.ts"
import { channelWords } from "../channel-words.ts"
import { dayOf, link, offsetIn, pages, table, timeOf, zoneOf } from "../parts.ts"

// Conversations, a page of them at a time.

/** One of the list; of those that wait, how the guest's last message begins. */
export interface Listed extends ListedConversation {
  readonly said?: string
}

/** Which part of the list a visit asks for. */
export const partIn = (visit: SignedInVisit) => ({ offset: offsetIn(visit), limit: PAGE_DEFAULT })

export const isWaiting = ({ query }: SignedInVisit): boolean => query.get("show") === "waiting"

export const guestName = ({ name }: { readonly name: string }): string => (name === "" ? "A guest" : name)

export const inboxOf = (visit: SignedInVisit, rows: ReadonlyArray<Listed>, total: number): Html => {
  const waiting = isWaiting(visit)
  return html`<nav class="pages" aria-label="Which conversations">${which("All conversations", "all", !waiting)} ${which("Waiting for an answer", "waiting", waiting)}</nav>
<section>
${table(
  {
    caption: `${total} ${total === 1 ? "conversation" : "conversations"}, the latest first${waiting ? LATELY : ""}.`,
    empty: waiting ? "No guest waits for an answer." : "No guest has written yet."
  },
  [
    { label: "Guest", cell: (row) => link(messagesAddress({ id: row.id }), guestName(row.guest)) },
    ...(waiting ? [{ label: "Wrote", cell: ({ said }: Listed) => html`<span class="name">${said ?? ""}</span>` }] : []),
    { label: "Property", cell: ({ property_title }) => property_title },
    { label: "Nights", cell: nightsOf },
    { label: "Channel", cell: ({ channel_type }) => channelWords(channel_type) },
    { label: "Last message", cell: ({ last_message_at }) => timeOf(last_message_at, visit) }
  ],
  rows
)}${pages(visit, { ...partIn(visit), total })}</section>
${zoneOf(visit)}`
}

/** Who is looked through for those that wait. */
const LATELY = `: those of the last ${OVERVIEW_THREADS_DAYS} days, among the newest ${OVERVIEW_THREADS_LOOKED_AT}, in which the guest had the last word`

const CURRENT: Html = { html: ' aria-current="page"' }

const which = (words: string, show: "all" | "waiting", isIt: boolean): Html =>
  html`<a href="${messagesAddress(show === "waiting" ? { show } : {})}"${isIt ? CURRENT : nothing}>${words}</a>`

const nightsOf = ({ check_in_date, check_out_date }: Listed): Html =>
  check_in_date === null || check_out_date === null
    ? nothing
    : html`${dayOf(check_in_date)} to ${dayOf(check_out_date)}`
