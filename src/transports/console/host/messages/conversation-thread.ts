import { getMessageLimit } from "../../../../domain/channels/port/message-limits.ts"
import type { get_conversation, Message } from "../../../../domain/guests/conversations/contract.ts"
import { MESSAGES_PAGE_TEXT_LENGTH } from "../../../../platform/limits.ts"
import { type Html, html, nothing } from "../../../docs/html.ts"
import type { SignedInVisit } from "../../visit.ts"
import { actionForm, makeFieldFiller, textArea } from "../form-fields.ts"
import type { FailedSubmission } from "../host-page.ts"
import { badge, link, section, timeHtml } from "../page-parts.ts"
import { currentUrlWith } from "../page-url.ts"
import { messagesUrl } from "../urls.ts"
import { guestName } from "./inbox.ts"

export type ConversationDetail = typeof get_conversation.successSchema.Type

export const readBeforeMessageId = ({ query }: SignedInVisit): string | undefined => query.get("before") ?? undefined

/** Keeps the newest messages up to {@link MESSAGES_PAGE_TEXT_LENGTH} characters of HTML, but at least one. */
const limitMessages = (conversation: ConversationDetail): ConversationDetail => {
  const { messages } = conversation
  let remainingCharacters = MESSAGES_PAGE_TEXT_LENGTH
  const cutIndex = messages.findIndex(({ content }) => {
    remainingCharacters -= html`${content}`.html.length
    return remainingCharacters < 0
  })
  const fittingMessages = cutIndex === -1 ? messages : messages.slice(0, Math.max(cutIndex, 1))
  return fittingMessages.length < messages.length
    ? { ...conversation, messages: fittingMessages, has_more: true }
    : conversation
}

export const threadSection = (
  visit: SignedInVisit,
  fullConversation: ConversationDetail,
  failedSubmission?: FailedSubmission
): Html => {
  const conversation = limitMessages(fullConversation)
  return section(
    "Messages",
    html`${earlierMessagesLink(visit, conversation)}<div data-live class="newest-first" role="log" aria-label="Messages" tabindex="0"><ol class="talk">${messageItems(visit, conversation)}</ol></div>
${conversation.messages.length === 0 ? html`<p>No messages yet.</p>` : nothing}<div id="answer">${actionForm(visit, {
      action: "send",
      label: "Send",
      subject: `to ${guestName(conversation.guest)}`,
      fields: textArea(makeFieldFiller(failedSubmission, "send"), {
        name: "message",
        label: "Reply",
        hint: `${getMessageLimit(conversation.channel_type).toLocaleString("en")} characters max.`,
        isRequired: true,
        rows: 3
      })
    })}</div><p class="noprint">${link(currentUrlWith(visit), "Refresh")}</p>`
  )
}

export const earlierMessagesSection = (visit: SignedInVisit, fullConversation: ConversationDetail): Html => {
  const conversation = limitMessages(fullConversation)
  return section(
    "Earlier messages",
    html`${earlierMessagesLink(visit, conversation)}<ol class="talk">${messageItems(visit, conversation)}</ol>
<p>${link(messagesUrl({ id: conversation.id }), "Newest messages")}</p>
`
  )
}

const earlierMessagesLink = (visit: SignedInVisit, { has_more, messages }: ConversationDetail): Html => {
  const oldest = messages.at(-1)
  return has_more && oldest !== undefined
    ? html`<p>${link(currentUrlWith(visit, { before: oldest.id }), "Earlier messages")}</p>
`
    : nothing
}

const messageItems = (visit: SignedInVisit, conversation: ConversationDetail): ReadonlyArray<Html> =>
  conversation.messages.toReversed().map((message) => messageItem(visit, conversation, message))

// The markup has no line breaks between elements, because the style would show them. The script finds a message by its
// id.
const messageItem = (visit: SignedInVisit, { guest }: ConversationDetail, message: Message): Html => {
  const { id, sender_role, sender_name, content, created_at, sources } = message
  const defaultSender = sender_role === "host" ? visit.session.operatorName : guestName(guest)
  const automaticNote = sources.length === 0 ? nothing : html` <span class="soft">automatic</span>`
  return html`<li class="${sender_role}" id="message-${id}"><div><strong>${sender_name ?? defaultSender}</strong>${automaticNote} ${timeHtml(created_at, visit)}</div>${content === "" ? nothing : html`<div class="words">${content}</div>`}${attachmentHtml(message)}<div>${deliveryBadge(message)}</div></li>`
}

/** Attachments are not embedded, because the console loads nothing from other hosts. */
const attachmentHtml = ({ attachment }: Message): Html => {
  if (attachment === null) return nothing
  const attachmentUrl = attachment.fullback_url
  return /^https?:\/\//i.test(attachmentUrl)
    ? html`<div><a href="${attachmentUrl}" rel="noopener noreferrer">Open attachment</a></div>`
    : html`<div>An attachment that cannot be opened here.</div>`
}

const deliveryBadge = ({ delivery, delivery_reason }: Message): Html => {
  const reason = delivery_reason === null ? nothing : html` ${delivery_reason}`
  switch (delivery) {
    case null:
      return nothing
    case "queued":
      return html`${badge("Sending…", "wait")}${reason}`
    case "sent":
      return badge("Sent", "good")
    case "refused":
      return html`${badge("Not sent", "bad")}${reason}`
    case "unknown":
      return html`${badge("May not have arrived", "bad")}${reason}`
  }
}
