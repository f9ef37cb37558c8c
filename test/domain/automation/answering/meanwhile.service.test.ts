import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { AnswerQueue } from "../../../../src/domain/automation/answering/AnswerQueue.ts"
import { makeChannelRoom, makeOrderEvent } from "../../../support/connectors/ingest/channel-events.ts"
import {
  answerQuestions,
  dispatchAllEvents,
  layerAnsweringService,
  startInquiry,
  WIFI_ANSWER
} from "../../../support/domain/automation/answering/answering-service.ts"
import { canOverlap, runOverlapping, withServerNote } from "../../../support/overlapping-transactions.ts"

// What is changed and committed while an answer waits for the rows that it locks: it is as if it had been changed before.

/** The guest of a stay whose question a worker has in hand. */
const inHand = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`DELETE FROM knowledge_bases`
  const scene = yield* startInquiry()
  yield* scene.book()
  yield* scene.ask("Wi-Fi?")
  yield* dispatchAllEvents
  const now = yield* DateTime.nowAsDate
  const taken = yield* Effect.flatMap(AnswerQueue, (queue) => queue.claim(now, 10, []))
  const question = taken.find(({ operator_id }) => operator_id === scene.operatorId)
  assert(question !== undefined)
  return { ...scene, sql, question }
})
type Scene = Effect.Success<typeof inHand>
type Doing = Readonly<Record<string, (scene: Scene) => Effect.Effect<unknown, unknown>>>

/** What decides, and how somebody changes it. */
const CHANGES: Doing = {
  "its entry is edited": ({ api, as }) => {
    const contents = [{ sub_title: "Password", text: "Another one." }]
    const everywhere = { scope_property: { type: "all" }, scope_channel: { type: "all" } } as const
    const entry = { id: WIFI_ANSWER.knowledge_base_id, title: "Wi-Fi", contents, is_enable: true, ...everywhere }
    return api.update_knowledge_base(entry).pipe(as)
  },
  "its order is cancelled": ({ ingestEvent: hear, listingId: listing }) =>
    hear(makeOrderEvent([makeChannelRoom(listing)], { status: "cancelled", thread_id: "T1", version: 2 })),
  "its stay is moved": ({ api, as, reservations: rows, secondPropertyId: second }) =>
    Effect.flatMap(rows, ([stay]) =>
      api.allocate_stay({ stay_code: stay?.stay_code ?? "", property_id: second }).pipe(as)
    ),
  "its rule is paused": ({ sql, ruleId: rule }) => sql`UPDATE automation_rules SET state = 'paused' WHERE id = ${rule}`
}

/** Rows that an answer locks, as somebody writes them. */
const WRITES: Doing = {
  "its conversation": ({ sql, operatorId }) =>
    sql`UPDATE conversations SET note = 'Called' WHERE operator_id = ${operatorId}`,
  "its question": ({ sql, operatorId }) =>
    sql`UPDATE automation_plans SET due_at = due_at WHERE operator_id = ${operatorId}`,
  "the lane of its messages": ({ sql, operatorId }) =>
    sql`UPDATE message_lanes SET due_at = due_at WHERE operator_id = ${operatorId}`
}

layer(layerAnsweringService)("a guest is not answered by what is no more", (it) => {
  for (const [what, change] of Object.entries(CHANGES)) {
    for (const [row, write] of Object.entries(WRITES)) {
      it.effect.skipIf(!canOverlap)(withServerNote(`where ${what} while ${row} is waited for`), () =>
        Effect.gen(function* () {
          const scene = yield* inHand
          const { sql, operatorId, question } = scene
          yield* sql`
            INSERT INTO message_lanes (operator_id, conversation_id, account_id, waiting, due_at)
            VALUES (${operatorId}, ${question.conversation_id}, ${question.account_id}, 0, 'infinity')`
          yield* runOverlapping(write(scene), answerQuestions(question), change(scene))
          assert.deepStrictEqual(yield* scene.automaticMessages, [])
          assert.deepStrictEqual(yield* scene.plans, ["waiting"])
        })
      )
    }
  }
})
