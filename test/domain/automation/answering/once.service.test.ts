import { assert, layer } from "@effect/vitest"
import { DateTime, Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AnswerQueue, type ClaimedQuestions } from "../../../../src/domain/automation/answering/AnswerQueue.ts"
import { ANSWER_ATTEMPT_TIMEOUT_MS, ANSWER_BACKOFF } from "../../../../src/domain/automation/answering/answer-jobs.ts"
import {
  ANSWER_LEASE_MS,
  ANSWERING_ACCOUNT_SHARE,
  ANSWERING_ROOM,
  ANSWERING_SHARE
} from "../../../../src/domain/automation/answering/answer-statements.ts"
import { COMPLETION_RETRIES, COMPLETION_RETRY_MS } from "../../../../src/jobs/job-runner.ts"
import { QUEUED_MESSAGES_MAX } from "../../../../src/platform/limits.ts"
import {
  answerAllDue,
  answerQuestions,
  dispatchAllEvents,
  layerAnsweringService,
  makeGuestAnswerer,
  NOW,
  ScriptedAnswers,
  startInquiry,
  WIFI_ANSWER
} from "../../../support/domain/automation/answering/answering-service.ts"
import { asSystemActor } from "../../../support/harness.ts"
import { runOverlapping, withServerNote } from "../../../support/overlapping-transactions.ts"

const server = process.env["DATABASE_URL"] ?? ""

/** Nothing of the tests before waits any more. */
const emptied = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`UPDATE answer_lanes SET due_at = 'infinity', waiting = 0`
).pipe(Effect.orDie)

const take = (most = 10, underWay: ReadonlyArray<ClaimedQuestions> = []) =>
  Effect.flatMap(AnswerQueue, (queue) => Effect.flatMap(DateTime.nowAsDate, (now) => queue.claim(now, most, underWay)))

/** A guest whose question waits. */
const waiting = Effect.gen(function* () {
  yield* emptied
  const scene = yield* startInquiry()
  yield* scene.ask("Wi-Fi?")
  yield* dispatchAllEvents
  return scene
})

/** A worker that has the question in hand, and looks for an answer to it for ever. */
const looking = Effect.gen(function* () {
  const known = yield* ScriptedAnswers
  const begun = yield* Deferred.make<void>()
  yield* known.setAnswer(Effect.andThen(Deferred.succeed(begun, undefined), Effect.never))
  const [taken] = yield* take()
  assert(taken !== undefined)
  const worker = yield* Effect.forkChild(answerQuestions(taken))
  yield* Deferred.await(begun)
  return { worker, known }
})

/** So many guests of an operator whose questions are due. */
const guestsOf = Effect.fnUntraced(function* (operatorId: number, account: number, count: number) {
  const sql = yield* SqlClient.SqlClient
  const now = yield* DateTime.nowAsDate
  yield* sql`
    WITH made AS (
      INSERT INTO conversations (operator_id, code, account_id, channel_type, thread_id, last_message_at, created_at)
      SELECT ${operatorId}, gen_random_uuid()::text, ${account}, 'airbnb', gen_random_uuid()::text, ${now}, ${now}
      FROM generate_series(1, ${count}) RETURNING operator_id, id
    ), said AS (
      INSERT INTO messages (operator_id, conversation_id, code, sender_role, display_type, content, created_at)
      SELECT operator_id, id, gen_random_uuid()::text, 'guest', 'Text', 'Wi-Fi?', ${now} FROM made
      RETURNING operator_id, id, conversation_id
    ), lane AS (
      INSERT INTO answer_lanes (operator_id, conversation_id, account_id, waiting, due_at)
      SELECT operator_id, id, ${account}, 1, ${now} FROM made
    )
    INSERT INTO automation_plans (operator_id, kind, conversation_id, message_id, account_id, scheduled_at, due_at, created_at)
    SELECT operator_id, 'answer', conversation_id, id, ${account}, ${now}, 'infinity', ${now} FROM said`
}, Effect.orDie)

layer(layerAnsweringService)("a guest is answered once", (it) => {
  it.effect("by three workers at once, each in his turn", () =>
    Effect.gen(function* () {
      yield* emptied
      const { operatorId, accountId } = yield* startInquiry()
      const sql = yield* SqlClient.SqlClient
      yield* guestsOf(operatorId, accountId, 25)
      const workers = yield* Effect.all([makeGuestAnswerer, makeGuestAnswerer, makeGuestAnswerer])
      for (let turn = 0; turn < 10; turn++) {
        yield* Effect.all(
          workers.map(({ claimDue: takeDue, awaitIdle: idle }) => Effect.andThen(takeDue, idle)),
          { concurrency: 3 }
        )
      }
      const said = yield* sql<{ messages: number }>`
        SELECT count(*)::int AS messages FROM messages WHERE operator_id = ${operatorId} AND sender_role = 'host'
        GROUP BY conversation_id`
      assert.deepStrictEqual(said, Array(25).fill({ messages: 1 }))
    }).pipe(Effect.scoped)
  )

  it.effect(
    "after the worker that had it died: not before its lease ends, and what that one says then is nothing",
    () =>
      Effect.gen(function* () {
        const { automaticMessages: automatic, plans } = yield* waiting
        const queue = yield* AnswerQueue
        const [first] = yield* take()
        assert(first !== undefined)
        const seen = yield* queue.loadSituation(first, new Date(NOW))
        assert(seen !== undefined)
        yield* TestClock.setTime(NOW + ANSWER_LEASE_MS - 1)
        assert.deepStrictEqual(yield* take(), [])
        yield* TestClock.setTime(NOW + ANSWER_LEASE_MS)
        const [second] = yield* take()
        assert.deepStrictEqual(second, { ...first, attempts: first.attempts + 1 })

        const given = {
          answer: { text: WIFI_ANSWER.text, sources: [] },
          sentences: [WIFI_ANSWER],
          planIds: seen.questions.map(({ plan_id }) => plan_id),
          skippedQuestions: [],
          ruleIds: seen.rules.map(({ id }) => id),
          inARow: 1
        }
        assert.isFalse(yield* queue.recordAnswer(first, seen, given, new Date(NOW)).pipe(asSystemActor))
        yield* queue.skipWithoutAnswer(first, seen, [], new Date(NOW), new Date(NOW))
        yield* queue.postpone(first, new Date(NOW))
        yield* queue.release(first, new Date(NOW))
        assert.isUndefined(yield* queue.loadSituation(first, new Date(NOW)))
        assert.deepStrictEqual(yield* take(), [])
        assert.deepStrictEqual(yield* plans, ["waiting"])
        assert(second !== undefined)
        yield* answerQuestions(second)
        assert.deepStrictEqual(yield* automatic, [WIFI_ANSWER.text])
      })
  )

  it.effect("where the database's answer was lost, and it is written down again", () =>
    Effect.gen(function* () {
      const { messages, answerPartition: lane } = yield* waiting
      const queue = yield* AnswerQueue
      const [taken] = yield* take()
      assert(taken !== undefined)
      const seen = yield* queue.loadSituation(taken, new Date(NOW))
      assert(seen !== undefined)
      const given = {
        answer: { text: WIFI_ANSWER.text, sources: [] },
        sentences: [WIFI_ANSWER],
        planIds: seen.questions.map(({ plan_id }) => plan_id),
        skippedQuestions: [],
        ruleIds: seen.rules.map(({ id }) => id),
        inARow: 1
      }
      const once = queue.recordAnswer(taken, seen, given, new Date(NOW)).pipe(asSystemActor)
      assert.isTrue(yield* once)
      assert.isFalse(yield* once)
      assert.lengthOf(yield* messages, 2)
      assert.deepStrictEqual(yield* lane, { waiting: 0, in_a_row: 1 })
    })
  )

  it.effect("by the next, where a worker is stopped while it looks for the answer", () =>
    Effect.gen(function* () {
      const { automaticMessages: automatic } = yield* waiting
      const { worker, known } = yield* looking
      yield* Fiber.interrupt(worker)
      assert.deepStrictEqual(yield* automatic, [])
      yield* known.setAnswer(Effect.succeed([WIFI_ANSWER]))
      yield* answerAllDue
      assert.deepStrictEqual(yield* automatic, [WIFI_ANSWER.text])
    })
  )

  it.effect("later, where it cannot be looked for now, and nobody else waits for that", () =>
    Effect.gen(function* () {
      const { automaticMessages: automatic, plans } = yield* waiting
      const known = yield* ScriptedAnswers
      yield* known.setAnswer(Effect.die(new Error("no search")))
      yield* answerAllDue
      assert.deepStrictEqual(yield* plans, ["waiting"])
      yield* known.setAnswer(Effect.succeed([WIFI_ANSWER]))
      const other = yield* startInquiry()
      yield* other.ask("Wi-Fi?")
      yield* answerAllDue
      assert.lengthOf(yield* other.automaticMessages, 1)
      assert.deepStrictEqual(yield* automatic, [])
      yield* TestClock.adjust(ANSWER_BACKOFF.firstMs * (1 + ANSWER_BACKOFF.jitter))
      yield* answerAllDue
      assert.deepStrictEqual(yield* automatic, [WIFI_ANSWER.text])
    })
  )

  it.effect("later, where looking for it does not end, which is given up within the lease", () =>
    Effect.gen(function* () {
      assert.isAbove(ANSWER_LEASE_MS, ANSWER_ATTEMPT_TIMEOUT_MS + COMPLETION_RETRIES * COMPLETION_RETRY_MS)
      const { automaticMessages: automatic, operatorId } = yield* waiting
      const sql = yield* SqlClient.SqlClient
      const { worker, known } = yield* looking
      yield* TestClock.adjust(ANSWER_ATTEMPT_TIMEOUT_MS)
      yield* Fiber.join(worker)
      assert.deepStrictEqual(yield* sql`SELECT failures FROM answer_lanes WHERE operator_id = ${operatorId}`, [
        { failures: 1 }
      ])
      yield* known.setAnswer(Effect.succeed([WIFI_ANSWER]))
      yield* TestClock.adjust(ANSWER_BACKOFF.firstMs * (1 + ANSWER_BACKOFF.jitter))
      yield* answerAllDue
      assert.deepStrictEqual(yield* automatic, [WIFI_ANSWER.text])
    })
  )

  it.effect("later, where as much waits to be sent to him as may", () =>
    Effect.gen(function* () {
      const { automaticMessages: automatic, plans, operatorId } = yield* waiting
      const sql = yield* SqlClient.SqlClient
      yield* sql`
        INSERT INTO message_lanes (operator_id, conversation_id, account_id, waiting, due_at)
        SELECT operator_id, conversation_id, account_id, ${QUEUED_MESSAGES_MAX}::integer, 'infinity' FROM answer_lanes
        WHERE operator_id = ${operatorId}`
      yield* answerAllDue
      assert.deepStrictEqual(yield* plans, ["waiting"])
      yield* sql`UPDATE message_lanes SET waiting = waiting - 1 WHERE operator_id = ${operatorId}`
      yield* TestClock.adjust("10 seconds")
      yield* answerAllDue
      assert.deepStrictEqual(yield* plans, ["done"])
      assert.deepStrictEqual(yield* automatic, [WIFI_ANSWER.text])
    })
  )

  it.effect("or not at all, where the question was taken back, before it is looked at and after", () =>
    Effect.gen(function* () {
      const { ask, automaticMessages: automatic, plans, answerPartition: lane, operatorId } = yield* waiting
      const sql = yield* SqlClient.SqlClient
      const known = yield* ScriptedAnswers
      const takenBack = Effect.orDie(sql`
        UPDATE automation_plans SET state = 'deleted', settled_at = now()
        WHERE operator_id = ${operatorId} AND state = 'waiting'`)
      yield* takenBack
      yield* answerAllDue
      assert.deepStrictEqual([yield* plans, (yield* lane)?.waiting], [["deleted"], 0])
      yield* known.setAnswer(Effect.as(takenBack, [WIFI_ANSWER]))
      yield* ask("Wi-Fi?")
      yield* answerAllDue
      assert.deepStrictEqual([yield* plans, (yield* lane)?.waiting], [["deleted", "deleted"], 0])
      assert.deepStrictEqual(yield* automatic, [])
      yield* known.setAnswer(Effect.succeed([WIFI_ANSWER]))
    })
  )

  it.effect("though another host has very many guests who ask", () =>
    Effect.gen(function* () {
      yield* emptied
      const greedy = yield* startInquiry()
      yield* guestsOf(greedy.operatorId, greedy.accountId, 200)
      const quiet = yield* startInquiry()
      yield* TestClock.adjust("1 second")
      yield* quiet.ask("Wi-Fi?")
      yield* dispatchAllEvents
      const taken = yield* take(ANSWERING_ROOM)
      const of = (operatorId: number) => taken.filter(({ operator_id }) => operator_id === operatorId).length
      assert.deepStrictEqual([of(greedy.operatorId), of(quiet.operatorId)], [ANSWERING_ACCOUNT_SHARE, 1])
      assert.isAtMost(ANSWERING_ACCOUNT_SHARE, ANSWERING_SHARE)
      assert.deepStrictEqual(yield* take(ANSWERING_ROOM, taken), [])
    })
  )

  it.effect("where its host is active", () =>
    Effect.gen(function* () {
      const { operatorId } = yield* waiting
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE operators SET status = 'banned' WHERE id = ${operatorId}`
      assert.deepStrictEqual(yield* take(), [])
      yield* sql`UPDATE operators SET status = 'active' WHERE id = ${operatorId}`
      assert.lengthOf(yield* take(), 1)
    })
  )

  it.effect.skipIf(server === "")(withServerNote("or not at all, where a person is just writing"), () =>
    Effect.gen(function* () {
      const { sendHostMessage: hostHere, automaticMessages: automatic, plans } = yield* waiting
      yield* TestClock.adjust("1 second")
      const [taken] = yield* take()
      assert(taken !== undefined)
      yield* runOverlapping(hostHere("I am here"), answerQuestions(taken))
      yield* answerAllDue
      assert.deepStrictEqual(yield* automatic, [])
      assert.match((yield* plans).join(), /^skipped: .*host/)
    })
  )
})
