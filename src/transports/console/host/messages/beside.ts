import type { Activity } from "../../../../domain/guests/conversations/contract.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { Asking, Beside, TalkStay } from "../../queries/BesideTalk.ts"
import type { SignedInVisit } from "../../visit.ts"
import { stayAddress } from "../addresses.ts"
import { channelWords } from "../channel-words.ts"
import { area, filling, formOf } from "../fields.ts"
import type { NotTaken } from "../page.ts"
import { badge, dayOf, fact, link, section, spoken, table } from "../parts.ts"
import type { Conversation } from "./talk.ts"

// What a host wants to know while he talks to a guest: who it is, which stays it is about, and what he noted himself.

export const aboutOf = (conversation: Conversation, { stays, asking }: Beside): Html => {
  const inquiry = conversation.activities.find(({ activity_type }) => activity_type === "inquiry")
  return section(
    "About",
    html`<dl class="facts">
<dt>Channel</dt><dd>${channelWords(conversation.channel_type)}</dd>
${fact("Phone", conversation.guest.phone)}${fact("E-mail", conversation.guest.email)}</dl>
${inquiry === undefined ? nothing : askedFor(inquiry, asking)}${table(
  { empty: "No stay belongs to this conversation." },
  [
    { label: "Stay", cell: (stay) => link(stayAddress(stay.stay_code), stay.guest_name ?? stay.stay_code) },
    { label: "Property", cell: ({ property_title }) => property_title ?? badge("in the box", "wait") },
    { label: "Nights", cell: (stay) => html`${dayOf(stay.check_in_date)} to ${dayOf(stay.check_out_date)}` },
    { label: "Stands", cell: standsOf }
  ],
  stays
)}`
  )
}

const standsOf = ({ status }: TalkStay): Html =>
  badge(spoken(status), status === "accepted" ? "good" : status.startsWith("wait") ? "wait" : undefined)

const askedFor = ({ check_in_date, check_out_date, property }: typeof Activity.Type, asking: Asking | null): Html =>
  check_in_date === null || check_out_date === null
    ? nothing
    : html`<p>The guest asks for ${property === null ? nothing : html`<strong>${property.title}</strong>, `}${dayOf(check_in_date)} to ${dayOf(check_out_date)}.${asking?.taken === true ? " Not all of these nights are free." : ""}</p>
`

/** The host's own note. */
export const noteOf = (visit: SignedInVisit, { note }: Conversation, notTaken?: NotTaken): Html =>
  section(
    "Your note",
    formOf(visit, {
      act: "note",
      button: "Keep the note",
      kind: "plain",
      fields: area(filling(notTaken, "note"), {
        name: "note",
        label: "Note",
        hint: "The guest never sees it.",
        value: note,
        rows: 3,
        edited: true
      })
    })
  )
