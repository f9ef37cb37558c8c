import type { ConversationActivity } from "../../../../domain/guests/conversations/contract.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { ConversationInquiry, ConversationSidebar } from "../../queries/BesideTalk.ts"
import type { SignedInVisit } from "../../visit.ts"
import { channelName } from "../channel-names.ts"
import { actionForm, makeFieldFiller, textArea } from "../form-fields.ts"
import type { FailedSubmission } from "../host-page.ts"
import { badge, fact, formatDayRange, link, section, table } from "../page-parts.ts"
import { statusBadge } from "../stay/stay-labels.ts"
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
  { empty: "No reservation yet." },
  [
    { label: "Reservation", cell: (stay) => link(stayUrl(stay.stay_code), stay.guest_name ?? stay.stay_code) },
    {
      label: "Property",
      cell: ({ property_title }) => property_title ?? badge("Unassigned", "wait"),
      onPhone: "detail"
    },
    { label: "Dates", cell: (stay) => formatDayRange(stay.check_in_date, stay.check_out_date), onPhone: "detail" },
    { label: "Status", cell: ({ status }) => statusBadge(status), onPhone: "side" }
  ],
  stays
)}`
  )
}

const inquiryText = (
  { check_in_date, check_out_date, property }: typeof ConversationActivity.Type,
  inquiryDetails: ConversationInquiry | null
): Html =>
  check_in_date === null || check_out_date === null
    ? nothing
    : html`<p>The guest asks for ${property === null ? nothing : html`<strong>${property.title}</strong>, `}${formatDayRange(check_in_date, check_out_date)}.${inquiryDetails?.taken === true ? " Not all of these nights are free." : ""}</p>
`

/** The channel, and the property and dates of the latest stay or the inquiry. */
export const stayLine = ({ channel_type, activities }: ConversationDetail, { stays }: ConversationSidebar): Html => {
  const [stay, inquiry] = [stays[0], activities.find(({ activity_type }) => activity_type === "inquiry")]
  const [title, subject] = stay === undefined ? [inquiry?.property?.title, inquiry] : [stay.property_title, stay]
  const { check_in_date = null, check_out_date = null } = subject ?? {}
  const dates = check_in_date === null || check_out_date === null ? [] : [formatDayRange(check_in_date, check_out_date)]
  const titles = title === undefined || title === null ? [] : [title]
  return html` <span class="soft">${[channelName(channel_type), ...titles, ...dates].join(" · ")}</span>`
}

export const noteSection = (
  visit: SignedInVisit,
  { note }: ConversationDetail,
  failedSubmission?: FailedSubmission
): Html =>
  section(
    "Note",
    actionForm(visit, {
      action: "note",
      label: "Save note",
      kind: "plain",
      fields: textArea(makeFieldFiller(failedSubmission, "note"), {
        name: "note",
        label: "Note",
        hint: "Only you and your team see it.",
        value: note,
        rows: 3,
        isEdit: true
      })
    })
  )
