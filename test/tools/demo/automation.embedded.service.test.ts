import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { migrations } from "../../../migrations/index.ts"
import { addDays, dateInZone } from "../../../src/contract/time.ts"
import { PasswordCost } from "../../../src/domain/access/operators/password.ts"
import { guestQuestionSubscribers } from "../../../src/domain/automation/answering/guest-questions.ts"
import {
  appliesToStay,
  classifyTimeliness,
  computeScheduledAt
} from "../../../src/domain/automation/rules/scheduling.ts"
import { parseTemplate } from "../../../src/domain/automation/rules/template.ts"
import { KnowledgeAnswers } from "../../../src/domain/knowledge/search/KnowledgeAnswers.ts"
import { EventDispatcher } from "../../../src/domain/webhooks/deliveries/EventDispatcher.ts"
import { InternalSubscribers } from "../../../src/jobs/events/internal-subscribers.ts"
import { migrate } from "../../../src/platform/database/migrate.ts"
import { PLANNED_DAYS } from "../../../src/platform/limits.ts"
import { makeDemoThreads } from "../../../src/tools/demo/conversations.ts"
import { makeDemoOrders } from "../../../src/tools/demo/orders.ts"
import { seedDemo } from "../../../src/tools/demo/seed.ts"
import { DEMO_AUTOMATION_RULES } from "../../../src/tools/demo/write-automation.ts"
import { layerTestDatabaseInMemory } from "../../support/test-database.ts"

const ZONE = "Europe/Lisbon"
const DAY_MS = 24 * 60 * 60 * 1000

/** What the demo's rules will do in the next days of the stays that channels sold, as it is seeded at that moment. */
const upcomingAt = (now: Date) => {
  const orders = makeDemoOrders(dateInZone(now, ZONE), ZONE)
  const threads = makeDemoThreads(orders, now, ZONE)
  return orders.flatMap((order) =>
    order.stays.flatMap((stay) =>
      DEMO_AUTOMATION_RULES.flatMap((rule) => {
        if (rule.action === "answer" || rule.trigger.event === "inquiry") return []
        const { status, channelType: channel_type } = order
        const dates = { check_in_date: stay.checkIn, check_out_date: stay.checkOut }
        if (!appliesToStay(rule, { status, channel_type, property_id: stay.propertyIndex + 1, ...dates })) return []
        const times = {
          check_in_time: "15:00",
          check_out_time: "11:00",
          time_zone: ZONE,
          booked_at: order.bookedAt,
          ...dates
        }
        const at = computeScheduledAt(rule.trigger, times)
        const isListed =
          classifyTimeliness({ trigger: rule.trigger, stay: times, since: now, now }) === "early" &&
          at.getTime() < now.getTime() + PLANNED_DAYS * DAY_MS
        return isListed ? [{ action: rule.action, talks: threads.threadIdOf(order) !== undefined }] : []
      })
    )
  )
}

layer(Layer.empty)("the demo's rules", (it) => {
  it.effect("will send three messages, each to a guest who can be written to, and review one, whatever the day", () =>
    Effect.sync(() => {
      for (let day = 0; day < 400; day += 7) {
        const now = new Date(Date.parse(`${addDays("2026-11-01", day)}T00:00:00Z`) + (day % 24) * 3_600_000)
        const upcoming = upcomingAt(now)
        assert.isTrue(
          upcoming.every(({ talks }) => talks),
          now.toISOString()
        )
        const count = (kind: string) => upcoming.filter(({ action }) => action === kind).length
        assert.isAtLeast(count("send_message"), 3, now.toISOString())
        assert.isAtLeast(count("review"), 1, now.toISOString())
      }
    })
  )

  it.effect("say what can be read", () =>
    Effect.sync(() => {
      for (const rule of DEMO_AUTOMATION_RULES)
        if ("text" in rule) assert.strictEqual(parseTemplate(rule.text)._tag, "Success")
    })
  )
})

const layerSeeded = Layer.merge(
  KnowledgeAnswers.layer,
  Layer.provide(EventDispatcher.layer, Layer.succeed(InternalSubscribers, guestQuestionSubscribers))
).pipe(
  Layer.provideMerge(Layer.effectDiscard(migrate(migrations))),
  Layer.provideMerge(layerTestDatabaseInMemory),
  Layer.provideMerge(Layer.succeed(PasswordCost, { N: 16, r: 8, p: 1 }))
)

layer(layerSeeded)("the demo operator as it is seeded", (it) => {
  it.effect("is searched for answers at once, in two languages, by its guests and nobody else", () =>
    Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse("2027-05-10T10:00:00Z"))
      const { operatorId } = yield* seedDemo
      const sql = yield* SqlClient.SqlClient
      const { ask } = yield* KnowledgeAnswers
      const undone = yield* sql`SELECT FROM knowledge_bases WHERE process_status <> 'done'`
      assert.lengthOf(undone, 0)
      const stays = yield* sql<{ stay_code: string; title: string }>`
        SELECT s.stay_code, p.title FROM stays s
        JOIN orders o ON o.operator_id = s.operator_id AND o.id = s.order_id
        JOIN properties p ON p.operator_id = s.operator_id AND p.id = s.property_id
        WHERE s.operator_id = ${operatorId} AND o.status = 'accepted' AND s.check_out_date > '2027-05-11'`
      const inCity = (city: string) => stays.find(({ title }) => title.startsWith(city))?.stay_code ?? ""
      const answered = (city: string, question: string) =>
        Effect.map(ask(operatorId, { stayCode: inCity(city) }, [question]), (all) =>
          all.map(({ text }) => text).join(" ")
        )
      assert.include(yield* answered("Lisbon", "What is the Wi-Fi password?"), "sardinha-azul-27")
      assert.include(yield* answered("Lisbon", "Qual é a palavra-passe do Wi-Fi?"), "sardinha-azul-27")
      assert.include(yield* answered("Edinburgh", "What is the Wi-Fi password?"), "thistle-and-gorse-14")
      assert.deepStrictEqual(yield* ask(operatorId, { anonymous: true }, ["What is the Wi-Fi password?"]), [])
    })
  )

  it.effect("answers nothing that its guests have said so far", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { dispatchNext: next } = yield* EventDispatcher
      let handed = 0
      while (true) {
        const { events } = yield* next(new Date("2027-05-10T10:00:01Z"))
        if (events === 0) break
        handed += events
      }
      assert.isAbove(handed, 30)
      assert.lengthOf(yield* sql`SELECT FROM automation_plans WHERE kind = 'answer'`, 0)
      const [said] = yield* sql<{ guests: number }>`
        SELECT count(*)::int AS guests FROM messages WHERE sender_role = 'guest'`
      assert.isAbove(said?.guests ?? 0, 10)
    })
  )
})
