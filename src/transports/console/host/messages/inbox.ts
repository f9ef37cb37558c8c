import type { ListedConversation } from "../../../../domain/guests/conversations/contract.ts"
import { OVERVIEW_THREADS_DAYS, OVERVIEW_THREADS_SCANNED, PAGE_DEFAULT } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { SignedInVisit } from "../../visit.ts"
import { channelName } from "../channel-names.ts"
import { dayHtml, link, pagination, readOffsetParam, table, timeHtml, timeZoneNote } from "../page-parts.ts"
import { messagesUrl } from "../urls.ts"

interface InboxRow extends ListedConversation {
  readonly last_message_start?: string
}

export const readPageRange = (visit: SignedInVisit) => ({ offset: readOffsetParam(visit), limit: PAGE_DEFAULT })

export const isUnansweredFilter = ({ query }: SignedInVisit): boolean => query.get("show") === "waiting"

export const guestName = ({ name }: { readonly name: string }): string => (name === "" ? "A guest" : name)

export const inboxSection = (visit: SignedInVisit, rows: ReadonlyArray<InboxRow>, total: number): Html => {
  const isUnanswered = isUnansweredFilter(visit)
  return html`<nav class="pages" aria-label="Which conversations">${filterLink("All conversations", "all", !isUnanswered)} ${filterLink("Waiting for an answer", "waiting", isUnanswered)}</nav>
<section>
${table(
  {
    caption: `${total} ${total === 1 ? "conversation" : "conversations"}, the latest first${isUnanswered ? UNANSWERED_SCOPE : ""}.`,
    empty: isUnanswered ? "No guest waits for an answer." : "No guest has written yet."
  },
  [
    { label: "Guest", cell: (row) => link(messagesUrl({ id: row.id }), guestName(row.guest)) },
    ...(isUnanswered
      ? [
          {
            label: "Wrote",
            cell: ({ last_message_start }: InboxRow) => html`<span class="name">${last_message_start ?? ""}</span>`
          }
        ]
      : []),
    { label: "Property", cell: ({ property_title }) => property_title },
    { label: "Nights", cell: nightsCell },
    { label: "Channel", cell: ({ channel_type }) => channelName(channel_type) },
    { label: "Last message", cell: ({ last_message_at }) => timeHtml(last_message_at, visit) }
  ],
  rows
)}${pagination(visit, { ...readPageRange(visit), total })}</section>
${timeZoneNote(visit)}`
}

const UNANSWERED_SCOPE = `: those of the last ${OVERVIEW_THREADS_DAYS} days, among the newest ${OVERVIEW_THREADS_SCANNED}, in which the guest had the last word`

const CURRENT_ATTRIBUTE: Html = { html: ' aria-current="page"' }

const filterLink = (label: string, show: "all" | "waiting", isCurrent: boolean): Html =>
  html`<a href="${messagesUrl(show === "waiting" ? { show } : {})}"${isCurrent ? CURRENT_ATTRIBUTE : nothing}>${label}</a>`

const nightsCell = ({ check_in_date, check_out_date }: InboxRow): Html =>
  check_in_date === null || check_out_date === null
    ? nothing
    : html`${dayHtml(check_in_date)} to ${dayHtml(check_out_date)}`
