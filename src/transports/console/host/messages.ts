import { DateTime, Effect } from "effect"
import { dateInZone } from "../../../contract/time.ts"
import { get_conversation, query_conversations } from "../../../domain/guests/conversations/contract.ts"
import { Service } from "../../../service/service.ts"
import { html } from "../../docs/html.ts"
import type { Refused } from "../outcome.ts"
import { BesideTalk } from "../queries/BesideTalk.ts"
import { UnansweredGuests } from "../queries/UnansweredGuests.ts"
import type { SignedInVisit } from "../visit.ts"
import { MESSAGES_PATH, messagesAddress } from "./addresses.ts"
import { doing, reading } from "./asking.ts"
import { asLines, touchedIn } from "./fields.ts"
import { aboutOf, noteOf } from "./messages/beside.ts"
import { guestName, inboxOf, isWaiting, partIn } from "./messages/inbox.ts"
import { offerIn, offersOf } from "./messages/offers.ts"
import { beforeIn, earlierTalkOf, talkOf } from "./messages/talk.ts"
import { type GoOn, type HostAct, type HostView, hostPage, type NotTaken, notThere, refusal } from "./page.ts"
import { historyLink, link, zoneOf } from "./parts.ts"

/** Conversations with guests; and one of them, with the stay beside it: answered, noted on, and its guest made offers. */
export const makeMessagesPage = Effect.gen(function* () {
  const [service, unanswered, besideTalk] = [yield* Service, yield* UnansweredGuests, yield* BesideTalk]
  const [listed, read] = [reading(service, query_conversations), reading(service, get_conversation)]

  const todayOf = ({ session }: SignedInVisit, now: Date) => dateInZone(now, session.person.caller.timeZone)

  const list = Effect.fnUntraced(function* (visit: SignedInVisit): Effect.fn.Return<HostView, Refused> {
    if (!isWaiting(visit)) {
      const { conversations, total } = yield* listed(visit, partIn(visit))
      return { title: "Messages", body: inboxOf(visit, conversations, total) }
    }
    const now = yield* DateTime.nowAsDate
    const { operatorId } = visit.session.person.caller
    const waiting = yield* unanswered.page(operatorId, todayOf(visit, now), now, partIn(visit))
    return { title: "Messages to answer", body: inboxOf(visit, waiting.rows, waiting.total) }
  })

  const one = Effect.fnUntraced(function* (visit: SignedInVisit, id: string, notTaken?: NotTaken) {
    const before = beforeIn(visit)
    const conversation = yield* read(visit, before === undefined ? { id } : { id, before })
    const beside = yield* besideTalk.of(visit.session.person.caller.operatorId, conversation.id)
    if (beside === undefined) return noSuchConversation
    const today = todayOf(visit, yield* DateTime.nowAsDate)
    const isInquiryOpen = conversation.activities.some(({ activity_type }) => activity_type === "inquiry")
    const offering = { today, channelType: conversation.channel_type, beside, isInquiryOpen }
    const isNewest = before === undefined
    const view: HostView = {
      title: guestName(conversation.guest),
      body: html`<p>${link(messagesAddress(), "All conversations")}</p>
<div class="columns">
<div>${isNewest ? talkOf(visit, conversation, notTaken) : earlierTalkOf(visit, conversation)}</div>
<div>${aboutOf(conversation, beside)}${noteOf(visit, conversation, notTaken)}</div>
</div>
${offersOf(visit, offering, notTaken)}${historyLink(`conversation:${conversation.id}`)}${zoneOf(visit)}`
    }
    return isNewest ? { ...view, script: true as const } : view
  })

  return hostPage({
    path: MESSAGES_PATH,
    show: (visit, notTaken) => {
      const id = visit.query.get("id")
      return id === null
        ? list(visit)
        : Effect.catchIf(one(visit, id, notTaken), isNobodys, () => Effect.succeed(noSuchConversation))
    },
    acts: actsOf(service)
  })
})

const noSuchConversation = notThere(
  "No such conversation",
  "There is no such conversation, or none before that message."
)

/** Another's is as one that nobody has; that is all that this operation refuses. */
const isNobodys = ({ status }: Refused): boolean => status === 403 || status === 404

const idIn = ({ query }: SignedInVisit): string => query.get("id") ?? ""
const named = (visit: SignedInVisit) => ({ conversation_id: idIn(visit) })

/** The conversation as it is by now, with what its guest wrote meanwhile. */
const asItIs = (visit: SignedInVisit): GoOn => ({ _tag: "GoOn", to: messagesAddress({ id: idIn(visit) }) })

const actsOf = (service: Service["Service"]): Readonly<Record<string, HostAct>> => {
  const act = doing(service)
  return {
    send: {
      done: "Your message is on its way.",
      run: (visit, form) => {
        const message = asLines(form.get("message") ?? "")
        return message === ""
          ? Effect.fail(refusal(422, "Write something first."))
          : Effect.as(act(visit, form, "send_message", { id: idIn(visit), message }), asItIs(visit))
      }
    },
    note: {
      done: "The note is kept.",
      run: (visit, form) => {
        const touched = touchedIn(form, { note: asLines })
        return "note" in touched
          ? act(visit, form, "update_conversation_note", { ...named(visit), ...touched })
          : Effect.succeed(undefined)
      }
    },
    offer: {
      done: "The offer is made: the guest sees it now.",
      run: (visit, form) => act(visit, form, "send_special_offer", { ...named(visit), ...offerIn(form) })
    },
    preapprove: {
      done: "The guest is pre-approved, and can book now.",
      run: (visit, form) => act(visit, form, "send_preapproval", named(visit))
    },
    withdraw: {
      done: "The offer is withdrawn.",
      run: (visit, form) =>
        act(visit, form, "withdraw_special_offer", { ...named(visit), special_offer_id: form.get("id") ?? "" })
    }
  }
}
