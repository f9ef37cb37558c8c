import { assert, layer } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import fc from "fast-check"
import { vi } from "vitest"
import {
  MARKED_OPERATORS_PER_STATEMENT,
  MARKED_STAYS_PER_PAGE
} from "../../../src/domain/automation/planning/changed-rule-marks.ts"
import { PlanningQueue } from "../../../src/domain/automation/planning/PlanningQueue.ts"
import { planDueStays, planOnce } from "../../../src/domain/automation/planning/planner.ts"
import {
  BEFORE_ARRIVAL_RULE,
  createAutomationHost,
  createHostOnEmptyTables,
  emptyAutomationTables,
  insertRule,
  insertStay,
  insertStays,
  layerAutomationService,
  planAllDue,
  setRuleState
} from "../../support/domain/automation/automation-service.ts"
import { SEQUENCES_MS } from "../../support/time-limits.ts"

vi.setConfig({ testTimeout: SEQUENCES_MS })

type Host = Effect.Success<typeof createAutomationHost>

/** Marks a page of each operator; answers whether there was any. */
const page = Effect.gen(function* () {
  const marks = yield* PlanningQueue
  return (yield* marks.markStaysOfChangedRules(0, yield* DateTime.nowAsDate)).length > 0
})

const allPages = Effect.gen(function* () {
  while (yield* page) yield* Effect.yieldNow
})

const rezoned = (host: Host) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
      UPDATE operators SET time_zone = CASE time_zone WHEN 'Asia/Tokyo' THEN 'Europe/Lisbon' ELSE 'Asia/Tokyo' END
      WHERE id = ${host.operatorId}`
  ).pipe(Effect.orDie)

/** Writes down from now on which stay is marked when, by a clock that counts. */
const noted = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`CREATE SEQUENCE IF NOT EXISTS noted_at`
  yield* sql`CREATE TABLE IF NOT EXISTS noted_marks (stay_id bigint, at bigint DEFAULT nextval('noted_at'))`
  yield* sql`
    CREATE OR REPLACE FUNCTION note_mark() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN INSERT INTO noted_marks (stay_id) VALUES (NEW.stay_id); RETURN NULL; END $$`
  yield* sql`
    CREATE OR REPLACE TRIGGER noted AFTER INSERT OR UPDATE OF due_at ON automation_stays
    FOR EACH ROW EXECUTE FUNCTION note_mark()`
}).pipe(Effect.orDie)

/** How often each stay was marked since then of those there were: the least and the most. */
const timesMarked = Effect.fnUntraced(function* (host: Host, since: { readonly at: number; readonly last: number }) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ least: number; most: number }>`
    SELECT min(times)::int AS least, max(times)::int AS most FROM (
      SELECT count(m.stay_id) AS times FROM stays s LEFT JOIN noted_marks m ON m.stay_id = s.id AND m.at > ${since.at}
      WHERE s.operator_id = ${host.operatorId} AND s.id <= ${since.last} GROUP BY s.id) each`
  return row
}, Effect.orDie)

/** The time by that clock, and the last stay there is. */
const moment = Effect.fnUntraced(function* (host: Host) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ at: number; last: number }>`
    SELECT nextval('noted_at')::int AS at, max(id)::int AS last FROM stays WHERE operator_id = ${host.operatorId}`
  return row ?? { at: 0, last: 0 }
}, Effect.orDie)

/** A host with more stays than two pages and two rules, one of which has not marked its stays yet. */
const createHostWithUnmarkedRule = Effect.gen(function* () {
  yield* noted
  const host = yield* createHostOnEmptyTables
  yield* insertStays(host.operatorId, 2 * MARKED_STAYS_PER_PAGE + 1)
  yield* insertRule(host.operatorId, BEFORE_ARRIVAL_RULE, { hasUnmarkedStays: false })
  return { ...host, other: yield* insertRule(host.operatorId, BEFORE_ARRIVAL_RULE) }
})

type HostWithUnmarkedRule = Effect.Success<typeof createHostWithUnmarkedRule>

const CHANGES = {
  made: (host: HostWithUnmarkedRule) => insertRule(host.operatorId, BEFORE_ARRIVAL_RULE),
  paused: (host: HostWithUnmarkedRule) => setRuleState(host.other, "paused"),
  resumed: (host: HostWithUnmarkedRule) => setRuleState(host.other, "active"),
  rezoned
}
/** What chance brings about too seldom: a rule that begins at the top while another is further down. */
const MADE_MEANWHILE = [
  ["page", "made"],
  ["page", "made", "page", "page", "made", "page"]
] as const
const change = fc.constantFrom("made", "paused", "resumed", "rezoned")

layer(layerAutomationService)("marking", (it) => {
  it.effect("a change that concerns all rules of a host marks and plans each of his stays once", () =>
    Effect.gen(function* () {
      const host = yield* createHostOnEmptyTables
      yield* insertStays(host.operatorId, 40)
      for (let n = 0; n < 5; n++) yield* insertRule(host.operatorId, BEFORE_ARRIVAL_RULE)
      yield* planAllDue
      yield* rezoned(host)
      let planned = 0
      const planRest = Effect.gen(function* () {
        const stays = yield* planDueStays
        planned += stays
        return stays > 0
      })
      while (yield* page) while (yield* planRest) yield* Effect.yieldNow
      assert.strictEqual(planned, 40)
    })
  )

  it.effect(
    "a rule that is made while another looks at its stays begins at the top, and goes on with it from where that is",
    () =>
      Effect.gen(function* () {
        const host = yield* createHostWithUnmarkedRule
        const begun = yield* moment(host)
        yield* page
        yield* insertRule(host.operatorId, BEFORE_ARRIVAL_RULE)
        const made = yield* moment(host)
        yield* allPages
        assert.deepStrictEqual(yield* timesMarked(host, made), { least: 1, most: 1 })
        assert.deepStrictEqual(yield* timesMarked(host, begun), { least: 1, most: 2 })
      })
  )

  const acts = fc.array(fc.oneof(fc.constantFrom("page", "page", "booked"), change), { minLength: 2, maxLength: 12 })
  it.effect("whatever changes between pages, each stay there was is marked once after it", () =>
    Effect.forEach([...MADE_MEANWHILE, ...fc.sample(acts, 5)], (done) =>
      Effect.gen(function* () {
        const host = yield* createHostWithUnmarkedRule
        let last = yield* moment(host)
        for (const act of done) {
          if (act === "page") yield* page
          else if (act === "booked") yield* insertStay(host)
          else {
            last = yield* moment(host)
            yield* CHANGES[act](host)
          }
        }
        yield* allPages
        assert.deepStrictEqual(yield* timesMarked(host, last), { least: 1, most: 1 }, done.join(", "))
      })
    )
  )

  const changes = fc.array(change, { minLength: 2, maxLength: 8 })
  it.effect("whatever changes while several mark, each stay is marked after it", () =>
    Effect.forEach(fc.sample(changes, 4), (done) =>
      Effect.gen(function* () {
        const host = yield* createHostWithUnmarkedRule
        let last = yield* moment(host)
        let changing = true
        const worker = Effect.gen(function* () {
          while ((yield* page) || changing) yield* Effect.yieldNow
        })
        const changer = Effect.gen(function* () {
          for (const act of done) {
            last = yield* moment(host)
            yield* CHANGES[act](host)
          }
          changing = false
        })
        yield* Effect.all([worker, worker, worker, changer], { concurrency: "unbounded" })
        // A worker found none where another had the rules in hand.
        yield* allPages
        assert.isAtLeast((yield* timesMarked(host, last))?.least ?? 0, 1, done.join(", "))
      })
    )
  )

  it.effect(
    "hosts whose rules were changed are more than one statement takes, and one turn marks stays of all of them",
    () =>
      Effect.gen(function* () {
        yield* emptyAutomationTables
        const hosts = yield* Effect.replicateEffect(createAutomationHost, MARKED_OPERATORS_PER_STATEMENT + 1)
        for (const host of hosts) {
          yield* insertStay(host)
          yield* insertRule(host.operatorId, BEFORE_ARRIVAL_RULE)
        }
        const sql = yield* SqlClient.SqlClient
        assert.lengthOf(
          yield* (yield* PlanningQueue).markStaysOfChangedRules(0, yield* DateTime.nowAsDate),
          MARKED_OPERATORS_PER_STATEMENT
        )
        yield* sql`UPDATE automation_rules SET mark_before = 9223372036854775807`
        yield* planOnce
        const left = yield* sql`SELECT FROM automation_rules WHERE mark_before IS NOT NULL`
        assert.lengthOf(left, 0)
      })
  )
})
