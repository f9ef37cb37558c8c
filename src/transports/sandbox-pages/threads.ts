import { standsAt } from "../../connectors/sandbox/offers.ts"
import type { ThreadSeen } from "../../connectors/sandbox/Seeing.ts"
import { instantOf } from "../../contract/time.ts"
import { IMAGE_ENDING, IMAGES_PREFIX, imageUrl, isToken } from "../../domain/guests/images/address.ts"
import type { PageOf } from "../../platform/database/rows.ts"
import { type Html, html, nothing } from "../docs/html.ts"
import { field, form, hidden, lines, seldom } from "./fields.ts"

/** Where and when the page is shown: what its address keeps, and where images of the service are. */
export interface Shown {
  readonly kept: string
  readonly now: Date
  readonly publicUrl: string
}

type Written = ThreadSeen["written"][number]
type OfferSeen = ThreadSeen["offers"][number]

/** The threads of all accounts, the one with the latest message first, and what their guests can say. */
export const threadsSection = (
  threads: PageOf<ThreadSeen>,
  shown: Shown,
  more: Html
): Html => html`<section id="threads" aria-labelledby="threads-title">
<h2 id="threads-title">Conversations</h2>
${threads.rows.length === 0 ? html`<p>Nobody has written yet.</p>` : nothing}
${threads.rows.map((thread) => threadCard(thread, shown))}
${more}</section>`

/** What tells the thread, or what is in it, from others of its name. */
const whose = ({ operator_id, channel_type }: ThreadSeen): Html =>
  html`${hidden("operator_id", operator_id)}${hidden("channel_type", channel_type)}`

const facts = ({
  username,
  operator,
  said: { guest, inquiry },
  messages,
  written,
  conversation_id
}: ThreadSeen): string =>
  [
    `${username} of ${operator}`,
    ...[guest.email, guest.phone].flatMap((way) => way ?? []),
    ...(inquiry
      ? [`asks about listing ${inquiry.listing_id}, ${inquiry.check_in_date} to ${inquiry.check_out_date}`]
      : []),
    ...(messages > written.length ? [`the last ${written.length} of ${messages} messages`] : []),
    conversation_id === null ? "not in the service" : `in the service ${conversation_id}`
  ].join(" · ")

const threadCard = (thread: ThreadSeen, shown: Shown): Html => {
  const { thread_id, channel_type, said, written, offers } = thread
  const writing = html`${hidden("thread_id", thread_id)}${whose(thread)}${lines("text", "Write as the guest")}${seldom("Attachment", field("attachment_url", "Its address"))}`
  return html`<article class="card" id="thread-${thread_id}">
<h3><span class="tag">${channel_type}</span> <bdi>${said.guest.name}</bdi> <span class="id">${thread_id}</span></h3>
<p class="soft">${facts(thread)}</p>
<ol class="talk">${written.map((each) => messageItem(each, shown))}</ol>
${offers.length === 0 ? nothing : html`<ul class="offers">${offers.map((offer) => offerItem(offer, thread, shown))}</ul>`}
${form(`write${shown.kept}`, "Write", writing, "quiet")}
</article>
`
}

const messageItem = ({ said, heard }: Written, { publicUrl }: Shown): Html => html`
<li class="${said.sender}">${said.text === "" ? nothing : html`<p class="words" dir="auto">${said.text}</p>`}${attachmentOf(said, publicUrl)}
<p class="who">${[said.sender, said.sent_at, ...(heard?.startsWith("refused") === true ? [heard] : [])].join(" · ")}</p></li>`

/** An image of the service itself is shown; whatever is elsewhere is a link alone. */
const attachmentOf = ({ attachment_url: url }: Written["said"], publicUrl: string): Html => {
  if (url === undefined || url === null) return nothing
  const token = url.slice(`${publicUrl}${IMAGES_PREFIX}`.length, -IMAGE_ENDING.length)
  if (isToken(token) && url === imageUrl(publicUrl, token)) {
    const here = imageUrl("", token)
    return html`<a href="${here}"><img src="${here}" alt="Attached image" loading="lazy"></a>`
  }
  return /^https?:\/\//.test(url)
    ? html`<a href="${url}" rel="noreferrer noopener">${url}</a>`
    : html`<span>${url}</span>`
}

const offerItem = (offer: OfferSeen, thread: ThreadSeen, { kept, now }: Shown): Html => {
  const status = standsAt({ status: offer.status, expires_at: instantOf(offer.expires_at, "UTC") }, now)
  const answer = html`${hidden("offer_id", offer.offer_id)}${whose(thread)}`
  const terms = `${offer.price} ${offer.currency}, ${offer.check_in_date} to ${offer.check_out_date}, listing ${offer.listing_id}`
  return html`<li>${offer.offer_type === "preapproval" ? "Pre-approval" : "Special offer"} <span class="id">${offer.offer_id}</span> <span class="status ${status}">${status}</span> ${terms}${
    status === "active"
      ? html`, until ${offer.expires_at}
<div class="acts">
${form(`accept-offer${kept}`, "Accept", answer, "quiet")}
${form(`decline-offer${kept}`, "Decline", answer, "quiet")}
</div>`
      : nothing
  }</li>
`
}
