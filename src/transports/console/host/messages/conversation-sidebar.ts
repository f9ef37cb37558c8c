import type { ConversationActivity } from "../../../../domain/guests/conversations/contract.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { ConversationInquiry, ConversationSidebar, ConversationStay } from "../../queries/BesideTalk.ts"
import type { SignedInVisit } from "../../visit.ts"
import { channelName } from "../channel-names.ts"
import { actionForm, makeFieldFiller, textArea } from "../form-fields.ts"
import type { FailedSubmission } from "../host-page.ts"
import { badge, dayHtml, fact, link, section, table, toWords } from "../page-parts.ts"
import { stayUrl } from "../urls.ts"
import type { ConversationDetail } from "./conversation-thread.ts"

export const aboutSection = (conversation: ConversationDetail, { stays, asking }: ConversationSidebar): Html => {
  const inquiry = conversation.activities.find(({ activity_type }) => activity_type === "inquiry")
  return section(
    "About",
    html`<dl class="facts">
<dt>Channel</dt><dd>${channelName(conversation.channel_type)}</dd>
${fact("Phone", conversation.guest.phone)}${fact("E-mail", conversation.guest.email)}</dl>
${inquiry === undefined ? nothing : inquiryText(inquiry, asking)}${table(
  { empty: "No stay belongs to this conversation." },
  [
    { label: "Stay", cell: (stay) => link(stayUrl(stay.stay_code), stay.guest_name ?? stay.stay_code) },
    { label: "Property", cell: ({ property_title }) => property_title ?? badge("in the box", "wait") },
    { label: "Nights", cell: (stay) => html`${dayHtml(stay.check_in_date)} to ${dayHtml(stay.check_out_date)}` },
    { label: "Stands", cell: statusCell }
  ],
  stays
)}`
  )
}

const statusCell = ({ status }: ConversationStay): Html =>
  badge(toWords(status), status === "accepted" ? "good" : status.startsWith("wait") ? "wait" : undefined)

const inquiryText = (
  { check_in_date, check_out_date, property }: typeof ConversationActivity.Type,
  inquiryDetails: ConversationInquiry | null
): Html =>
  check_in_date === null || check_out_date === null
    ? nothing
    : html`<p>The guest asks for ${property === null ? nothing : html`<strong>${property.title}</strong>, `}${dayHtml(check_in_date)} to ${dayHtml(check_out_date)}.${inquiryDetails?.taken === true ? " Not all of these nights are free." : ""}</p>
`

export const noteSection = (
  visit: SignedInVisit,
  { note }: ConversationDetail,
  failedSubmission?: FailedSubmission
): Html =>
  section(
    "Your note",
    actionForm(visit, {
      action: "note",
      label: "Keep the note",
      kind: "plain",
      fields: textArea(makeFieldFiller(failedSubmission, "note"), {
        name: "note",
        label: "Note",
        hint: "The guest never sees it.",
        value: note,
        rows: 3,
        isEdit: true
      })
    })
  )
