import { computeOfferStatus } from "../../connectors/sandbox/offers.ts"
import type { SandboxThreadRow } from "../../connectors/sandbox/SandboxQueries.ts"
import { toInstant } from "../../contract/time.ts"
import { IMAGE_EXTENSION, IMAGES_PATH_PREFIX, isImageToken, toImageUrl } from "../../domain/guests/images/image-url.ts"
import type { RowPage } from "../../platform/database/rows.ts"
import { type Html, html, nothing } from "../docs/html.ts"
import { field, hiddenField, multilineField, optionalFields, sandboxForm } from "./form-fields.ts"

export interface SandboxRenderContext {
  readonly querySuffix: string
  readonly now: Date
  readonly publicUrl: string
}

type ThreadMessage = SandboxThreadRow["written"][number]
type ThreadOffer = SandboxThreadRow["offers"][number]

export const threadsSection = (
  threads: RowPage<SandboxThreadRow>,
  context: SandboxRenderContext,
  pagination: Html
): Html => html`<section id="threads" aria-labelledby="threads-title">
<h2 id="threads-title">Conversations</h2>
${threads.rows.length === 0 ? html`<p>Nobody has written yet.</p>` : nothing}
${threads.rows.map((thread) => threadCard(thread, context))}
${pagination}</section>`

/** Several accounts may have a thread with this id, so the other fields are needed. */
const threadIdFields = ({ operator_id, channel_type }: SandboxThreadRow): Html =>
  html`${hiddenField("operator_id", operator_id)}${hiddenField("channel_type", channel_type)}`

const threadFactsText = ({
  username,
  operator,
  said: { guest, inquiry },
  messages,
  written,
  conversation_id
}: SandboxThreadRow): string =>
  [
    `${username} of ${operator}`,
    ...[guest.email, guest.phone].flatMap((way) => way ?? []),
    ...(inquiry
      ? [`asks about listing ${inquiry.listing_id}, ${inquiry.check_in_date} to ${inquiry.check_out_date}`]
      : []),
    ...(messages > written.length ? [`the last ${written.length} of ${messages} messages`] : []),
    conversation_id === null ? "not in the service" : `in the service ${conversation_id}`
  ].join(" · ")

const threadCard = (thread: SandboxThreadRow, context: SandboxRenderContext): Html => {
  const { thread_id, channel_type, said, written, offers } = thread
  const messageFields = html`${hiddenField("thread_id", thread_id)}${threadIdFields(thread)}${multilineField("text", "Write as the guest")}${optionalFields("Attachment", field("attachment_url", "Its address"))}`
  return html`<article class="card" id="thread-${thread_id}">
<h3><span class="tag">${channel_type}</span> <bdi>${said.guest.name}</bdi> <span class="id">${thread_id}</span></h3>
<p class="soft">${threadFactsText(thread)}</p>
<ol class="talk">${written.map((each) => messageItem(each, context))}</ol>
${offers.length === 0 ? nothing : html`<ul class="offers">${offers.map((offer) => offerItem(offer, thread, context))}</ul>`}
${sandboxForm(`write${context.querySuffix}`, "Write", messageFields, "quiet")}
</article>
`
}

const messageItem = ({ said, heard }: ThreadMessage, { publicUrl }: SandboxRenderContext): Html => html`
<li class="${said.sender}">${said.text === "" ? nothing : html`<p class="words" dir="auto">${said.text}</p>`}${attachmentHtml(said, publicUrl)}
<p class="who">${[said.sender, said.sent_at, ...(heard?.startsWith("refused") === true ? [heard] : [])].join(" · ")}</p></li>`

/** Shows only the service's own images. Other addresses are links. */
const attachmentHtml = ({ attachment_url: url }: ThreadMessage["said"], publicUrl: string): Html => {
  if (url === undefined || url === null) return nothing
  const token = url.slice(`${publicUrl}${IMAGES_PATH_PREFIX}`.length, -IMAGE_EXTENSION.length)
  if (isImageToken(token) && url === toImageUrl(publicUrl, token)) {
    const imageSource = toImageUrl("", token)
    return html`<a href="${imageSource}"><img src="${imageSource}" alt="Attached image" loading="lazy"></a>`
  }
  return /^https?:\/\//.test(url)
    ? html`<a href="${url}" rel="noreferrer noopener">${url}</a>`
    : html`<span>${url}</span>`
}

const offerItem = (offer: ThreadOffer, thread: SandboxThreadRow, { querySuffix, now }: SandboxRenderContext): Html => {
  const status = computeOfferStatus({ status: offer.status, expires_at: toInstant(offer.expires_at, "UTC") }, now)
  const offerFields = html`${hiddenField("offer_id", offer.offer_id)}${threadIdFields(thread)}`
  const terms = `${offer.price} ${offer.currency}, ${offer.check_in_date} to ${offer.check_out_date}, listing ${offer.listing_id}`
  return html`<li>${offer.offer_type === "preapproval" ? "Pre-approval" : "Special offer"} <span class="id">${offer.offer_id}</span> <span class="status ${status}">${status}</span> ${terms}${
    status === "active"
      ? html`, until ${offer.expires_at}
<div class="acts">
${sandboxForm(`accept-offer${querySuffix}`, "Accept", offerFields, "quiet")}
${sandboxForm(`decline-offer${querySuffix}`, "Decline", offerFields, "quiet")}
</div>`
      : nothing
  }</li>
`
}
