import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type DemoAccess, seedDemo } from "../../../src/tools/demo/seed.ts"
import { call, typedClient, withToken } from "../../support/harness.ts"
import { layerStartedService } from "../../support/tools/demo/started-service.ts"

// What a newcomer finds of the demo's rules through the API: seeded into an empty database while every worker runs, whatever day
// it is.

/** In which conversation a stay is, if in any. */
const conversations = Effect.fnUntraced(function* ({ token }: DemoAccess) {
  const api = yield* typedClient
  const as = withToken(token)
  const { conversations } = yield* api.query_conversations({ limit: 100 }).pipe(as)
  const codes = new Map<string, string>()
  for (const { id } of conversations) {
    const { activities } = yield* api.get_conversation({ id }).pipe(as)
    for (const { reservation_code } of activities) if (reservation_code !== null) codes.set(reservation_code, id)
  }
  const { reservations } = yield* api.search_reservations({ limit: 100, status: "accepted" }).pipe(as)
  return new Map(reservations.map(({ stay_code, reservation_code }) => [stay_code, codes.get(reservation_code)]))
})

/** An ordinary day, the nights in which the clocks of Lisbon change, and the end of a year. */
const DAYS = ["2026-11-20T10:00:00Z", "2027-03-28T00:30:00Z", "2027-10-30T23:30:00Z", "2027-12-31T23:59:50Z"]

for (const start of DAYS)
  layer(layerStartedService(start), { excludeTestServices: true })(
    `the demo that is first started at ${start}`,
    (it) => {
      it.effect("is about to write to guests and to review one, and does the one by hand and the other not yet", () =>
        Effect.gen(function* () {
          const access = yield* seedDemo
          const api = yield* typedClient
          const as = withToken(access.token)
          // At once: whoever is told that the demo is ready finds them.
          const { actions } = yield* api.query_upcoming_automation_actions({ type: "message", limit: 100 }).pipe(as)
          const reviews = yield* api.query_upcoming_automation_actions({ type: "review", limit: 100 }).pipe(as)
          const conversationOf = yield* conversations(access)
          const talking = actions.filter(({ stay_code }) => conversationOf.get(stay_code ?? "") !== undefined)
          assert.isAtLeast(talking.length, 3)
          assert.isAtLeast(reviews.actions.length, 1)
          for (const { id, name, stay_code } of talking.slice(0, 3)) {
            yield* api.execute_automation_action({ plan_id: id }).pipe(as)
            const { messages } = yield* api.get_conversation({ id: conversationOf.get(stay_code ?? "") ?? "" }).pipe(as)
            const said = messages.filter(({ sources }) => sources.some(({ docs }) => docs[0]?.title === name))
            assert.deepStrictEqual(
              said.map(({ sender_name }) => sender_name),
              ["Assistant"]
            )
          }
          const last = reviews.actions.at(-1)?.id
          const early = yield* call(access.token, "execute_automation_action", { plan_id: last })
          assert.strictEqual(early.error_code, 400)
        })
      )
    }
  )
