import { messageLimit } from "../../../../domain/channels/port/message-limits.ts"
import type { get_conversation, Message } from "../../../../domain/guests/conversations/contract.ts"
import { TALK_TEXT } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { SignedInVisit } from "../../visit.ts"
import { messagesAddress } from "../addresses.ts"
import { area, filling, formOf } from "../fields.ts"
import { hereWith, type NotTaken } from "../page.ts"
import { badge, link, section, timeOf } from "../parts.ts"
import { guestName } from "./inbox.ts"

// What was said in a conversation, and the form to answer it.

export type Conversation = typeof get_conversation.successSchema.Type

/** The part of a conversation that a visit asks for: before the message that its address names, else the newest. */
export const beforeIn = ({ query }: SignedInVisit): string | undefined => query.get("before") ?? undefined

/** Keeps the newest messages that fit on a page: {@link TALK_TEXT} characters of HTML, but at least one message. */
const fitting = (conversation: Conversation): Conversation => {
  const { messages } = conversation
  let room = TALK_TEXT
  const cut = messages.findIndex(({ content }) => {
    room -= html`${content}`.html.length
    return room < 0
  })
  const shown = cut === -1 ? messages : messages.slice(0, Math.max(cut, 1))
  return shown.length < messages.length ? { ...conversation, messages: shown, has_more: true } : conversation
}

/** The newest messages, which a script keeps new, and the form to answer them. */
export const talkOf = (visit: SignedInVisit, whole: Conversation, notTaken?: NotTaken): Html => {
  const conversation = fitting(whole)
  return section(
    "Messages",
    html`${earlier(visit, conversation)}${conversation.messages.length > FEW ? html`<p><a href="#answer">To your answer</a></p>` : nothing}
<div data-live aria-live="polite"><ol class="talk">${saidIn(visit, conversation)}</ol></div>
${conversation.messages.length === 0 ? html`<p>Nothing was written yet.</p>` : nothing}<p class="noprint">${link(hereWith(visit), "Look for new messages")}</p>
<div id="answer">${formOf(visit, {
      act: "send",
      button: "Send",
      of: `to ${guestName(conversation.guest)}`,
      fields: area(filling(notTaken, "send"), {
        name: "message",
        label: "Your answer",
        hint: `At most ${messageLimit(conversation.channel_type)} characters. Once sent it cannot be taken back.`,
        required: true,
        rows: 4
      })
    })}</div>`
  )
}

/** Messages before others, and the ways from there. */
export const earlierTalkOf = (visit: SignedInVisit, whole: Conversation): Html => {
  const conversation = fitting(whole)
  return section(
    "Earlier messages",
    html`${earlier(visit, conversation)}<ol class="talk">${saidIn(visit, conversation)}</ol>
<p>${link(messagesAddress({ id: conversation.id }), "To the newest messages")}</p>
`
  )
}

/** Messages above which a way to the form is shown. */
const FEW = 5

const earlier = (visit: SignedInVisit, { has_more, messages }: Conversation): Html => {
  const oldest = messages.at(-1)
  return has_more && oldest !== undefined
    ? html`<p>${link(hereWith(visit, { before: oldest.id }), "Earlier messages")}</p>
`
    : nothing
}

/** Renders the messages, the oldest at the top. */
const saidIn = (visit: SignedInVisit, conversation: Conversation): ReadonlyArray<Html> =>
  conversation.messages.toReversed().map((message) => said(visit, conversation, message))

// The text of the list keeps its line breaks: between its parts there are none. The script knows a message by its id, and puts the
// parts of it in place that have changed.
const said = (visit: SignedInVisit, { guest }: Conversation, message: Message): Html => {
  const { id, sender_role, sender_name, content, created_at, sources } = message
  const own = sender_role === "host" ? visit.session.operatorName : guestName(guest)
  const by = sources.length === 0 ? nothing : html` <span class="soft">by itself</span>`
  return html`<li class="${sender_role}" id="message-${id}"><div><strong>${sender_name ?? own}</strong>${by} ${timeOf(created_at, visit)}</div>${content === "" ? nothing : html`<div class="words">${content}</div>`}${attached(message)}<div>${deliveryOf(message)}</div></li>`
}

/** What channels say is attached is looked at there: nothing of elsewhere is loaded into a page of ours. */
const attached = ({ attachment }: Message): Html => {
  if (attachment === null) return nothing
  const address = attachment.fullback_url
  return /^https?:\/\//i.test(address)
    ? html`<div><a href="${address}" rel="noopener noreferrer">Open what is attached</a></div>`
    : html`<div>Something is attached that cannot be opened here.</div>`
}

const deliveryOf = ({ delivery, delivery_reason }: Message): Html => {
  const why = delivery_reason === null ? nothing : html` ${delivery_reason}`
  switch (delivery) {
    case null:
      return nothing
    case "queued":
      return html`${badge("waits to be sent", "wait")}${why}`
    case "sent":
      return badge("sent", "good")
    case "refused":
      return html`${badge("not sent", "bad")}${why}`
    case "unknown":
      return html`${badge("may not have arrived", "bad")}${why}`
  }
}
