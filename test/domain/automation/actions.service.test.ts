import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { PLANNED_DAYS, QUEUED_MESSAGES_MAX } from "../../../src/platform/limits.ts"
import {
  AFTER_LEAVING_RULE,
  BEFORE_ARRIVAL_RULE,
  createAutomationHost,
  createHostOnEmptyTables,
  emptyAutomationTables,
  insertRule,
  insertStay,
  layerAutomationService,
  loadAutomaticMessages,
  loadPlanLines,
  makePlanRunner,
  NOW,
  planAllDue,
  planMessage,
  runAllDue
} from "../../support/domain/automation/automation-service.ts"
import { call, callForResponse, createAccessToken, insertAccount, insertProperty } from "../../support/harness.ts"
import { ScriptedChannel } from "../../support/scripted-channel.ts"

type Host = Effect.Success<typeof createAutomationHost>

/** The id of the first action of a type. */
const firstOf = (host: Host, type: "message" | "review" = "message") =>
  Effect.map(host.actions(type), ([first]) => first?.id ?? 0)

const refused = (host: Host, operation: "execute_automation_action" | "delete_automation_action", plan_id: number) =>
  Effect.map(call(host.token, operation, { plan_id }), ({ error_code, error_msg }) => `${error_code} ${error_msg}`)

const listed = (host: Host, fields: object) => call(host.token, "query_upcoming_automation_actions", fields)

/** An answer to a guest that waits. */
const answerFor = Effect.fnUntraced(function* (host: Host, conversation: string) {
  const sql = yield* SqlClient.SqlClient
  const [made] = yield* sql<{ id: number }>`
    INSERT INTO automation_plans (operator_id, kind, conversation_id, message_id, scheduled_at, due_at, created_at)
    SELECT operator_id, 'answer', id, 1, ${new Date(NOW)}, ${new Date(NOW)}, now() FROM conversations
    WHERE operator_id = ${host.operatorId} AND code = ${conversation} RETURNING id`
  return made?.id ?? assert.fail("there is no made")
}, Effect.orDie)

layer(layerAutomationService)("upcoming actions", (it) => {
  it.effect("are listed soonest first, with what they are and for whom, in the host's zone", () =>
    Effect.gen(function* () {
      const host = yield* createHostOnEmptyTables
      const later = yield* insertStay(host, { checkIn: "2027-05-06", checkOut: "2027-05-08", guestName: null })
      const soon = yield* insertStay(host, { propertyId: host.property })
      yield* insertRule(host.operatorId, BEFORE_ARRIVAL_RULE)
      yield* insertRule(host.operatorId, AFTER_LEAVING_RULE)
      yield* planAllDue
      const actions = yield* host.actions("message")
      const [first, second] = actions
      assert.deepStrictEqual(actions, [
        {
          id: first?.id ?? 0,
          type: "message",
          name: "Before arrival",
          send_to: "Ada Lovelace",
          stay_code: soon.code,
          property_id: host.property,
          property_title: "Harbour 1",
          scheduled_at: "2027-04-24T15:00:00+01:00",
          channel_type: "airbnb"
        },
        {
          id: second?.id ?? 0,
          type: "message",
          name: "Before arrival",
          send_to: "",
          stay_code: later.code,
          property_id: 0,
          property_title: "",
          scheduled_at: "2027-05-05T15:00:00+01:00",
          channel_type: "airbnb"
        }
      ])
      const reviews = yield* host.actions("review")
      assert.deepStrictEqual(
        reviews.map(({ type, name, stay_code }) => `${type} ${name} ${stay_code}`),
        [`review After leaving ${soon.code}`, `review After leaving ${later.code}`],
        "before the guest has left"
      )
    })
  )

  it.effect("are narrowed by word, stay, property, channel and time, both ends included", () =>
    Effect.gen(function* () {
      const host = yield* createHostOnEmptyTables
      const ada = yield* insertStay(host, { propertyId: host.property })
      const grace = yield* insertStay(host, {
        checkIn: "2027-05-06",
        checkOut: "2027-05-08",
        guestName: "Gra\u0301ce Hopper"
      })
      yield* insertRule(host.operatorId, BEFORE_ARRIVAL_RULE)
      yield* planAllDue
      const codes = (more: object) =>
        Effect.map(host.actions("message", more), (all) => all.map(({ stay_code }) => stay_code))
      const narrowed: ReadonlyArray<readonly [object, ReadonlyArray<string>]> = [
        [{}, [ada.code, grace.code]],
        [{ keyword: "HOPPER" }, [grace.code]],
        [{ keyword: "gr\u00e1ce" }, [grace.code]],
        [{ keyword: "before arr" }, [ada.code, grace.code]],
        [{ keyword: "harbour 1" }, [ada.code]],
        [{ keyword: ada.code.toLowerCase() }, [ada.code]],
        [{ keyword: "nobody" }, []],
        [{ stay_code: grace.code }, [grace.code]],
        [{ property_ids: [host.property] }, [ada.code]],
        [{ channel_types: "airbnb, vrbo" }, [ada.code, grace.code]],
        [{ channel_types: "vrbo" }, []],
        [{ start_time: "2027-04-24T14:00:00Z", end_time: "2027-04-24 15:00:00" }, [ada.code]],
        [{ start_time: "2027-04-24 15:00:01" }, [grace.code]],
        [{ start_time: "2027-04-24T15:00:00.4", end_time: "2027-04-24T15:00:00.4" }, [ada.code]],
        [{ end_time: "2027-04-24T14:59:59+01:00" }, []],
        [{ offset: 1 }, [grace.code]],
        [{ limit: 1 }, [ada.code]]
      ]
      for (const [more, expected] of narrowed) {
        assert.deepStrictEqual(yield* codes(more), [...expected], JSON.stringify(more))
      }
      const other = yield* insertProperty(host.operatorId, "Harbour 2")
      for (const property_ids of [
        `${host.property}, ${other}`,
        `[${host.property}]`,
        `[ ${host.property}, ${other} ]`
      ]) {
        const { data } = yield* listed(host, { type: "message", property_ids })
        assert.deepInclude(data, { total: 1 }, property_ids)
      }
    })
  )

  it.effect("answer how many they are, of a page", () =>
    Effect.gen(function* () {
      const host = yield* createHostOnEmptyTables
      for (const _ of [1, 2, 3]) yield* insertStay(host)
      yield* insertRule(host.operatorId, BEFORE_ARRIVAL_RULE)
      yield* planAllDue
      for (const [limit, total] of [
        [2, 2],
        [100, 3]
      ] as const) {
        const { data } = yield* listed(host, { type: "message", limit })
        assert.deepInclude(data, { total })
      }
    })
  )

  it.effect("are those of the next thirty days, and not a second more", () =>
    Effect.gen(function* () {
      const host = yield* createHostOnEmptyTables
      yield* insertStay(host, { checkIn: "2027-05-24", checkOut: "2027-05-25" })
      yield* insertRule(host.operatorId, BEFORE_ARRIVAL_RULE)
      const at = Date.parse("2027-05-23T14:00:00Z") - PLANNED_DAYS * 24 * 3_600_000
      yield* TestClock.setTime(at - 1)
      yield* planAllDue
      assert.lengthOf(yield* host.actions("message"), 0)
      yield* TestClock.setTime(at)
      assert.lengthOf(yield* host.actions("message"), 1)
    })
  )

  it.effect("are the main account's for a sub-account too, and nobody else's", () =>
    Effect.gen(function* () {
      yield* emptyAutomationTables
      const [host, stranger] = [yield* createAutomationHost, yield* createAutomationHost]
      yield* insertStay(host)
      yield* insertRule(host.operatorId, BEFORE_ARRIVAL_RULE)
      yield* planAllDue
      const accountId = yield* insertAccount(host.operatorId, "sub", "Front desk")
      const token = yield* createAccessToken({ operatorId: host.operatorId, accountId }, "read-only")
      const { data } = yield* call(token, "query_upcoming_automation_actions", { type: "message" })
      assert.deepInclude(data, { total: 1 })
      assert.deepStrictEqual(yield* stranger.actions("message"), [])
      const plan_id = yield* firstOf(host)
      const none = /^404 plan_id: /
      assert.match(yield* refused(stranger, "execute_automation_action", plan_id), none)
      assert.match(yield* refused(stranger, "delete_automation_action", plan_id), none)
      assert.lengthOf(yield* host.actions("message"), 1)
    })
  )

  it.effect("are refused with the name of the field that is wrong", () =>
    Effect.gen(function* () {
      const host = yield* createHostOnEmptyTables
      const wrong: ReadonlyArray<readonly [object, number, string]> = [
        [{}, 400, "type"],
        [{ type: "answer" }, 422, "type"],
        [{ type: "message", property_ids: "1,x" }, 400, "property_ids"],
        [{ type: "message", property_ids: "[1,2" }, 400, "property_ids"],
        [{ type: "message", channel_types: "airbnb,nowhere" }, 422, "channel_types"],
        [{ type: "message", start_time: "tomorrow" }, 400, "start_time"],
        [{ type: "message", start_time: "2027-05-02 10:00", end_time: "2027-05-01 10:00" }, 422, "start_time"],
        [{ type: "message", limit: 101 }, 422, "limit"],
        [{ type: "message", limit: 0 }, 422, "limit"],
        [{ type: "message", keyword: "x".repeat(101) }, 422, "keyword"],
        [{ type: "message", property_ids: `${host.property},999999999` }, 404, "property_ids"],
        [{ type: "message", stay_code: "0-NOBODY" }, 404, "stay_code"]
      ]
      for (const [fields, code, field] of wrong) {
        const { error_code, error_msg } = yield* listed(host, fields)
        assert.strictEqual(error_code, code, `${JSON.stringify(fields)} ${error_msg}`)
        assert.match(error_msg, new RegExp(`^${field}:`))
      }
    })
  )

  it.effect("name an answer to a guest without a stay", () =>
    Effect.gen(function* () {
      const host = yield* createHostOnEmptyTables
      const { conversation } = yield* insertStay(host)
      const id = yield* answerFor(host, conversation)
      const [answer] = yield* host.actions("message")
      assert.deepInclude(answer, {
        id,
        stay_code: null,
        property_id: 0,
        send_to: "Ada Lovelace",
        channel_type: "airbnb"
      })
      assert.match(yield* refused(host, "execute_automation_action", id), /^400 plan_id: .*send_message/)
      yield* host.api.delete_automation_action({ plan_id: id }).pipe(host.as)
      assert.deepStrictEqual(yield* host.actions("message"), [])
    })
  )
})

layer(layerAutomationService)("an action", (it) => {
  it.effect("is run now, whatever its time, and never again", () =>
    Effect.gen(function* () {
      yield* emptyAutomationTables
      const host = yield* planMessage()
      const { conversation } = host
      const plan_id = yield* firstOf(host)
      yield* host.api.execute_automation_action({ plan_id }).pipe(host.as)
      assert.deepStrictEqual(yield* loadAutomaticMessages(conversation), ["See you tomorrow, Ada."])
      assert.deepStrictEqual(yield* host.actions("message"), [])
      for (const operation of ["execute_automation_action", "delete_automation_action"] as const) {
        assert.match(yield* refused(host, operation, plan_id), /^404 plan_id: /)
      }
      yield* TestClock.setTime(Date.parse("2027-04-24T14:00:00Z"))
      yield* runAllDue(yield* makePlanRunner)
      assert.lengthOf(yield* loadAutomaticMessages(conversation), 1)
      assert.match(yield* refused(host, "execute_automation_action", 1e12), /^404 plan_id: /)
    })
  )

  it.effect("that is taken away is not run, and others of its rule are", () =>
    Effect.gen(function* () {
      const host = yield* createHostOnEmptyTables
      const [one, other] = [yield* insertStay(host), yield* insertStay(host)]
      yield* insertRule(host.operatorId, BEFORE_ARRIVAL_RULE)
      yield* planAllDue
      const [action] = yield* host.actions("message", { stay_code: one.code })
      yield* host.api.delete_automation_action({ plan_id: action?.id ?? 0 }).pipe(host.as)
      yield* TestClock.setTime(Date.parse("2027-04-24T14:00:00Z"))
      yield* runAllDue(yield* makePlanRunner)
      assert.deepStrictEqual(yield* loadAutomaticMessages(one.conversation), [])
      assert.lengthOf(yield* loadAutomaticMessages(other.conversation), 1)
    })
  )

  it.effect("that cannot be run says why and waits on", () =>
    Effect.gen(function* () {
      const host = yield* createHostOnEmptyTables
      const sql = yield* SqlClient.SqlClient
      const silent = yield* insertStay(host, { hasConversation: false })
      yield* insertRule(host.operatorId, BEFORE_ARRIVAL_RULE)
      yield* planAllDue
      const plan_id = yield* firstOf(host)
      assert.match(yield* refused(host, "execute_automation_action", plan_id), /^409 plan_id: .*no conversation/)
      yield* sql`UPDATE orders SET conversation_id = ${silent.conversation} WHERE operator_id = ${host.operatorId}`
      yield* sql`UPDATE stays SET guest_name = NULL WHERE operator_id = ${host.operatorId}`
      assert.match(yield* refused(host, "execute_automation_action", plan_id), /^400 plan_id: .*first_name/)
      assert.deepStrictEqual(yield* loadPlanLines(host.operatorId), ["send_message waiting 2027-04-24T14:00:00.000Z"])
      assert.deepStrictEqual(yield* loadAutomaticMessages(silent.conversation), [])
    })
  )

  it.effect("in whose conversation too many messages wait says so and waits on", () =>
    Effect.gen(function* () {
      const host = yield* createHostOnEmptyTables
      const sql = yield* SqlClient.SqlClient
      const { conversation } = yield* insertStay(host)
      yield* insertRule(host.operatorId, BEFORE_ARRIVAL_RULE)
      yield* planAllDue
      yield* sql`
        INSERT INTO message_lanes (operator_id, conversation_id, account_id, waiting, due_at)
        SELECT operator_id, id, account_id, ${QUEUED_MESSAGES_MAX}, 'infinity' FROM conversations WHERE code = ${conversation}`
      const plan_id = yield* firstOf(host)
      assert.match(
        yield* refused(host, "execute_automation_action", plan_id),
        new RegExp(`^409 plan_id: ${QUEUED_MESSAGES_MAX} `)
      )
      assert.deepStrictEqual(yield* loadPlanLines(host.operatorId), ["send_message waiting 2027-04-24T14:00:00.000Z"])
      yield* sql`UPDATE message_lanes SET waiting = waiting - 1 WHERE operator_id = ${host.operatorId}`
      yield* host.api.execute_automation_action({ plan_id }).pipe(host.as)
      assert.lengthOf(yield* loadAutomaticMessages(conversation), 1)
    })
  )

  it.effect("of a review is refused before the day of check-out, where the host is, and run from then on", () =>
    Effect.gen(function* () {
      yield* emptyAutomationTables
      const host = yield* planMessage(AFTER_LEAVING_RULE)
      const { code } = host
      const plan_id = yield* firstOf(host, "review")
      // In Lisbon the 28th begins at 23:00 UTC.
      yield* TestClock.setTime(Date.parse("2027-04-27T22:59:59Z"))
      assert.match(yield* refused(host, "execute_automation_action", plan_id), /^400 plan_id: .*2027-04-28/)
      yield* TestClock.adjust("1 second")
      const { guests } = yield* ScriptedChannel
      const written = yield* callForResponse(host.token, "execute_automation_action", { plan_id }, "once")
      const again = yield* callForResponse(host.token, "execute_automation_action", { plan_id }, "once")
      assert.deepStrictEqual([written.envelope.error_code, again.envelope.error_code], [0, 0])
      const told = Effect.map(guests.reviews, (all) => all.filter((each) => each.reservationCode === code))
      assert.lengthOf(yield* told, 1)
      assert.deepStrictEqual(yield* loadPlanLines(host.operatorId), ["review done 2027-04-28T12:00:00.000Z"])
    })
  )

  it.effect("is run once under a key, and by two at the same moment", () =>
    Effect.gen(function* () {
      const host = yield* createHostOnEmptyTables
      const [one, other] = [yield* insertStay(host), yield* insertStay(host)]
      yield* insertRule(host.operatorId, BEFORE_ARRIVAL_RULE)
      yield* planAllDue
      const idOf = (stay_code: string) =>
        Effect.map(host.actions("message", { stay_code }), ([first]) => first?.id ?? 0)
      const keyed = yield* idOf(one.code)
      for (const _ of [1, 2]) {
        const answer = yield* callForResponse(host.token, "execute_automation_action", { plan_id: keyed }, "key")
        assert.strictEqual(answer.envelope.error_code, 0)
      }
      assert.lengthOf(yield* loadAutomaticMessages(one.conversation), 1)
      const plan_id = yield* idOf(other.code)
      const twice = Effect.all(
        [1, 2].map(() => refused(host, "execute_automation_action", plan_id)),
        { concurrency: 2 }
      )
      assert.sameMembers(
        (yield* twice).map((outcome) => outcome.split(": ")[0]),
        ["0 ", "404 plan_id"]
      )
      assert.lengthOf(yield* loadAutomaticMessages(other.conversation), 1)
    })
  )

  it.effect("of a paused rule is none", () =>
    Effect.gen(function* () {
      const host = yield* createHostOnEmptyTables
      yield* insertStay(host)
      const rule = yield* insertRule(host.operatorId, BEFORE_ARRIVAL_RULE)
      yield* planAllDue
      const plan_id = yield* firstOf(host)
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE automation_rules SET state = 'paused' WHERE id = ${rule}`
      assert.match(yield* refused(host, "execute_automation_action", plan_id), /^404/)
    })
  )
})
