import { DateTime, Effect } from "effect"
import type { CurrentCaller } from "../../../contract/caller.ts"
import { dateInZone } from "../../../contract/time.ts"
import { get_conversation } from "../../../domain/guests/conversations/contract.ts"
import { Service } from "../../../service/service.ts"
import { html } from "../../docs/html.ts"
import type { ActionError } from "../action-outcome.ts"
import { BesideTalk } from "../queries/BesideTalk.ts"
import { Inbox } from "../queries/Inbox.ts"
import { CONVERSATION_SCRIPT } from "../scripts.ts"
import type { SignedInVisit } from "../visit.ts"
import { makeQuery, makeVoidMutation } from "./api-operations.ts"
import { parseLines, readChangedFields } from "./form-values.ts"
import {
  type ActionRedirect,
  type FailedSubmission,
  type HostAction,
  type HostView,
  makeActionError,
  makeHostPage,
  notFoundView
} from "./host-page.ts"
import { aboutSection, noteSection, stayLine } from "./messages/conversation-sidebar.ts"
import { earlierMessagesSection, readBeforeMessageId, threadSection } from "./messages/conversation-thread.ts"
import { guestName, inboxSection, isUnansweredFilter, readPageRange } from "./messages/inbox.ts"
import { offersSection, readOffer } from "./messages/offers.ts"
import { activityLogLink, link, timeZoneNote } from "./page-parts.ts"
import { MESSAGES_PATH, messagesUrl } from "./urls.ts"

export const makeMessagesPage = Effect.gen(function* () {
  const [service, inbox, conversationContext] = [yield* Service, yield* Inbox, yield* BesideTalk]
  const queryConversation = makeQuery(service, get_conversation)

  const todayIn = ({ session }: SignedInVisit, now: Date) => dateInZone(now, session.person.caller.timeZone)

  const renderInbox = Effect.fnUntraced(function* (
    visit: SignedInVisit
  ): Effect.fn.Return<HostView, never, CurrentCaller> {
    const now = yield* DateTime.nowAsDate
    const today = todayIn(visit, now)
    const filter = { today, now, isUnansweredOnly: isUnansweredFilter(visit) }
    return { title: "Messages", body: inboxSection(visit, today, yield* inbox.page(filter, readPageRange(visit))) }
  })

  const renderConversation = Effect.fnUntraced(function* (
    visit: SignedInVisit,
    id: string,
    failedSubmission?: FailedSubmission
  ) {
    const beforeMessageId = readBeforeMessageId(visit)
    const conversation = yield* queryConversation(
      visit,
      beforeMessageId === undefined ? { id } : { id, before: beforeMessageId }
    )
    const context = yield* conversationContext.of(conversation.id)
    if (context === undefined) return conversationNotFoundView
    const today = todayIn(visit, yield* DateTime.nowAsDate)
    const isInquiryOpen = conversation.activities.some(({ activity_type }) => activity_type === "inquiry")
    const offerContext = { today, channelType: conversation.channel_type, conversationContext: context, isInquiryOpen }
    const isNewest = beforeMessageId === undefined
    const view: HostView = {
      title: guestName(conversation.guest),
      body: html`<p class="stay-line">${link(messagesUrl(), "All conversations")}${stayLine(conversation, context)}</p>
<div class="conversation">
<div>${isNewest ? threadSection(visit, conversation, failedSubmission) : earlierMessagesSection(visit, conversation)}</div>
<div>${aboutSection(conversation, context)}${noteSection(visit, conversation, failedSubmission)}</div>
</div>
${offersSection(visit, offerContext, failedSubmission)}${activityLogLink(`conversation:${conversation.id}`)}${timeZoneNote(visit)}`
    }
    return isNewest ? { ...view, scriptPath: CONVERSATION_SCRIPT.path } : view
  })

  return makeHostPage({
    path: MESSAGES_PATH,
    show: (visit, failedSubmission) => {
      const id = visit.query.get("id")
      return id === null
        ? renderInbox(visit)
        : Effect.catchIf(renderConversation(visit, id, failedSubmission), isInaccessible, () =>
            Effect.succeed(conversationNotFoundView)
          )
    },
    actions: makeActions(service)
  })
})

const conversationNotFoundView = notFoundView(
  "Conversation not found",
  "It may be deleted, or the link may be incomplete.",
  html`<p>${link(messagesUrl(), "All conversations")}</p>`
)

/** A missing conversation and another operator's conversation show the same page. */
const isInaccessible = ({ status }: ActionError): boolean => status === 403 || status === 404

const readConversationId = ({ query }: SignedInVisit): string => query.get("id") ?? ""
const conversationIdField = (visit: SignedInVisit) => ({ conversation_id: readConversationId(visit) })

const reloadConversation = (visit: SignedInVisit): ActionRedirect => ({
  _tag: "GoOn",
  url: messagesUrl({ id: readConversationId(visit) })
})

const makeActions = (service: Service["Service"]): Readonly<Record<string, HostAction>> => {
  const mutate = makeVoidMutation(service)
  return {
    send: {
      doneMessage: "Message on its way to the guest.",
      run: (visit, form) => {
        const message = parseLines(form.get("message") ?? "")
        return message === ""
          ? Effect.fail(makeActionError(422, "message: is required."))
          : Effect.as(
              mutate(visit, form, "send_message", { id: readConversationId(visit), message }),
              reloadConversation(visit)
            )
      }
    },
    note: {
      doneMessage: "Note saved.",
      run: (visit, form) => {
        const changes = readChangedFields(form, { note: parseLines })
        return "note" in changes
          ? mutate(visit, form, "update_conversation_note", { ...conversationIdField(visit), ...changes })
          : Effect.succeed(undefined)
      }
    },
    offer: {
      doneMessage: "Offer sent. The guest sees it now.",
      run: (visit, form) =>
        mutate(visit, form, "send_special_offer", { ...conversationIdField(visit), ...readOffer(form) })
    },
    preapprove: {
      doneMessage: "Pre-approved. The guest can book now.",
      run: (visit, form) => mutate(visit, form, "send_preapproval", conversationIdField(visit))
    },
    withdraw: {
      doneMessage: "Offer withdrawn.",
      run: (visit, form) =>
        mutate(visit, form, "withdraw_special_offer", {
          ...conversationIdField(visit),
          special_offer_id: form.get("id") ?? ""
        })
    }
  }
}
