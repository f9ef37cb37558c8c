import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { SKIP_REASONS } from "../../../../src/domain/automation/answering/rules.ts"
import { getMessageLimit } from "../../../../src/domain/channels/port/message-limits.ts"
import {
  AUTOMATIC_ANSWER_PAUSE_MS,
  AUTOMATIC_ANSWERS_IN_A_ROW,
  QUESTION_EXPIRY_MS,
  QUESTIONS_PER_ANSWER
} from "../../../../src/platform/limits.ts"
import { makeChannelRoom, makeOrderEvent } from "../../../support/connectors/ingest/channel-events.ts"
import {
  ANSWER_RULE,
  answerAllDue,
  dispatchAllEvents,
  GREETING_RULE,
  insertRule,
  layerAnsweringService,
  NOW,
  ScriptedAnswers,
  startInquiry,
  WIFI_ANSWER
} from "../../../support/domain/automation/answering/answering-service.ts"
import { makeThreadEvent } from "../../../support/domain/guests/conversations/channel-conversation.ts"

const skipped = (reason: string) => `skipped: ${reason}`

layer(layerAnsweringService)("a guest who asks", (it) => {
  it.effect("is answered by the assistant out of the knowledge base, with its sources, once", () =>
    Effect.gen(function* () {
      const {
        ask,
        conversationId: id,
        messages,
        plans,
        answerPartition: lane,
        ruleId: rule,
        operatorId
      } = yield* startInquiry()
      yield* ask("What is the Wi-Fi password?")
      yield* answerAllDue
      yield* answerAllDue
      const [, answer, ...others] = yield* messages
      assert.lengthOf(others, 0)
      assert.deepInclude(answer, {
        sender_role: "host",
        sender_name: "Assistant",
        content: WIFI_ANSWER.text,
        display_type: "Text",
        delivery: "queued",
        sources: [
          {
            type: "host_knowledge",
            docs: [{ title: "Wi-Fi", fragment: [WIFI_ANSWER.fragment], source_type: "host_knowledge", link_id: 7 }]
          },
          {
            type: "thread",
            docs: [
              {
                title: "The guest's question",
                fragment: ["What is the Wi-Fi password?"],
                source_type: "thread",
                link_id: -1
              }
            ]
          }
        ]
      })
      assert.deepStrictEqual(yield* plans, ["done"])
      assert.deepStrictEqual(yield* lane, { waiting: 0, in_a_row: 1 })
      const known = yield* ScriptedAnswers
      assert.deepStrictEqual((yield* known.questions).at(-1), {
        asking: { conversation: id },
        messages: ["What is the Wi-Fi password?"]
      })
      // Subscribers hear of it as of any message, and the trail says who it was.
      const sql = yield* SqlClient.SqlClient
      const [told] = yield* sql<{ events: number; by: string; rule: number }>`
        SELECT (SELECT count(*)::int FROM events WHERE operator_id = ${operatorId} AND event = 'message_created') AS events,
          (SELECT application FROM trail WHERE operator_id = ${operatorId} ORDER BY id DESC LIMIT 1) AS by,
          (SELECT rule_id FROM automation_plans WHERE operator_id = ${operatorId}) AS rule`
      assert.deepStrictEqual(told, { events: 2, by: "automation", rule })
    })
  )

  it.effect("hears nothing where nothing answers it, where no rule is, and where it was paused or made since", () =>
    Effect.gen(function* () {
      const { ask, automaticMessages: automatic, plans, operatorId } = yield* startInquiry()
      const sql = yield* SqlClient.SqlClient
      yield* ask("Is there a piano?")
      yield* answerAllDue
      assert.deepStrictEqual(yield* plans, [skipped(SKIP_REASONS.unknown)])
      yield* sql`UPDATE automation_rules SET state = 'paused' WHERE operator_id = ${operatorId}`
      yield* ask("And Wi-Fi?")
      yield* dispatchAllEvents
      assert.lengthOf(yield* plans, 1)
      // Paused between the asking and the answering.
      yield* sql`UPDATE automation_rules SET state = 'active' WHERE operator_id = ${operatorId}`
      yield* ask("Wi-Fi, please")
      yield* dispatchAllEvents
      yield* sql`UPDATE automation_rules SET state = 'paused' WHERE operator_id = ${operatorId}`
      yield* answerAllDue
      assert.deepStrictEqual((yield* plans).slice(1), [skipped(SKIP_REASONS.noRule)])
      // A rule of now is for what comes from now on.
      yield* TestClock.adjust("10 seconds")
      yield* insertRule(operatorId, ANSWER_RULE)
      yield* ask("Wi-Fi?", { at: new Date(NOW + 5_000) })
      yield* dispatchAllEvents
      assert.lengthOf(yield* plans, 2)
      assert.deepStrictEqual(yield* automatic, [])
    })
  )

  it.effect(
    "is answered by a rule for the property, the channel and the nights of the stay, or of what is asked for",
    () =>
      Effect.gen(function* () {
        const scene = yield* startInquiry(GREETING_RULE)
        const {
          ask,
          book,
          automaticMessages: automatic,
          plans,
          operatorId,
          propertyId: property,
          secondPropertyId: second,
          listingId: listing,
          ingestEvent: hear
        } = scene
        const sql = yield* SqlClient.SqlClient
        const only = (scope: object) =>
          Effect.andThen(
            sql`UPDATE automation_rules SET state = 'removed' WHERE operator_id = ${operatorId}`,
            insertRule(operatorId, { ...ANSWER_RULE, ...scope })
          )
        const isFor = Effect.fnUntraced(function* (scope: object) {
          yield* only(scope)
          const before = (yield* automatic).length
          yield* TestClock.adjust(AUTOMATIC_ANSWER_PAUSE_MS)
          yield* scene.writeAsHostAtChannel("I am here.")
          yield* ask("Wi-Fi?")
          yield* answerAllDue
          return (yield* automatic).length > before
        })
        assert.isFalse(yield* isFor({ property_ids: [property] }))
        assert.strictEqual((yield* plans).at(-1), skipped(SKIP_REASONS.noRule))
        const inquire = (version: number, listing_id: string) =>
          hear({
            type: "thread",
            version,
            thread_id: "T1",
            guest: { name: "Ada" },
            inquiry: {
              listing_id,
              check_in_date: "2027-06-01",
              check_out_date: "2027-06-05",
              number_of_adults: 1
            }
          })
        // What is asked for has its nights, be it of a listing that nobody knows.
        yield* inquire(2, "nobody's")
        assert.isTrue(yield* isFor({ nights: { min: 4, max: 4 } }))
        assert.isFalse(yield* isFor({ nights: { max: 3 } }))
        assert.isFalse(yield* isFor({ property_ids: [property] }))
        yield* inquire(3, listing)
        assert.isTrue(yield* isFor({ property_ids: [property], nights: { min: 4, max: 4 } }))
        assert.isFalse(yield* isFor({ nights: { max: 3 } }))
        yield* book()
        assert.isTrue(yield* isFor({ nights: { max: 3 } }))
        assert.isFalse(yield* isFor({ property_ids: [second] }))
        assert.isFalse(yield* isFor({ channel_types: ["vrbo"] }))
        assert.isTrue(yield* isFor({ channel_types: ["vrbo", "airbnb"], property_ids: [second, property] }))
        // A stay that ends today is not over, and one that ended yesterday is.
        const until = (version: number, check_out_date: string) => {
          const stay = makeChannelRoom(listing, { check_in_date: "2027-04-11", check_out_date })
          return hear(makeOrderEvent([stay], { thread_id: "T1", version }))
        }
        yield* until(2, "2027-04-20")
        assert.isTrue(yield* isFor({ nights: { min: 9, max: 9 } }))
        yield* until(3, "2027-04-19")
        assert.isFalse(yield* isFor({ nights: { min: 8, max: 8 } }))
      })
  )

  it.effect("is not answered twice within a minute: what waits together is one question then", () =>
    Effect.gen(function* () {
      const { ask, automaticMessages: automatic, plans, answerPartition: lane } = yield* startInquiry()
      yield* ask("Wi-Fi?")
      yield* answerAllDue
      yield* TestClock.adjust("10 seconds")
      yield* ask("Hello again")
      yield* ask("The Wi-Fi password, please")
      yield* TestClock.setTime(NOW + AUTOMATIC_ANSWER_PAUSE_MS - 1)
      yield* answerAllDue
      assert.lengthOf(yield* automatic, 1)
      assert.deepStrictEqual((yield* lane)?.waiting, 2)
      yield* TestClock.setTime(NOW + AUTOMATIC_ANSWER_PAUSE_MS)
      yield* answerAllDue
      assert.lengthOf(yield* automatic, 2)
      assert.deepStrictEqual(yield* plans, ["done", "done", "done"])
      const known = yield* ScriptedAnswers
      assert.deepStrictEqual((yield* known.questions).at(-1)?.messages, ["Hello again", "The Wi-Fi password, please"])
    })
  )

  it.effect("is not answered what he asked before the rule was resumed, whatever he asks since", () =>
    Effect.gen(function* () {
      const { ask, automaticMessages: automatic, plans, operatorId } = yield* startInquiry()
      const sql = yield* SqlClient.SqlClient
      const known = yield* ScriptedAnswers
      yield* ask("Wi-Fi?")
      yield* answerAllDue
      yield* TestClock.adjust("10 seconds")
      yield* ask("The Wi-Fi password, please")
      yield* dispatchAllEvents
      yield* TestClock.adjust("10 seconds")
      yield* sql`UPDATE automation_rules SET since = ${new Date(NOW + 20_000)} WHERE operator_id = ${operatorId}`
      yield* ask("Is there a piano?")
      yield* dispatchAllEvents
      yield* TestClock.setTime(NOW + AUTOMATIC_ANSWER_PAUSE_MS)
      yield* answerAllDue
      assert.deepStrictEqual((yield* known.questions).at(-1)?.messages, ["Is there a piano?"])
      assert.lengthOf(yield* automatic, 1)
      assert.deepStrictEqual(yield* plans, ["done", skipped(SKIP_REASONS.unknown), skipped(SKIP_REASONS.unknown)])
    })
  )

  it.effect("is answered at once after a question that nothing answered", () =>
    Effect.gen(function* () {
      const { ask, automaticMessages: automatic } = yield* startInquiry()
      yield* ask("Hello!")
      yield* answerAllDue
      yield* ask("What about Wi-Fi?")
      yield* answerAllDue
      assert.lengthOf(yield* automatic, 1)
    })
  )

  it.effect("is answered five times in a row and no more, until a person has spoken, here or at the channel", () =>
    Effect.gen(function* () {
      const {
        ask,
        automaticMessages: automatic,
        plans,
        writeAsHostAtChannel: hostThere,
        sendHostMessage: hostHere
      } = yield* startInquiry()
      const askAgain = Effect.gen(function* () {
        yield* TestClock.adjust(AUTOMATIC_ANSWER_PAUSE_MS)
        yield* ask("Wi-Fi?")
        yield* answerAllDue
        return (yield* automatic).length
      })
      for (let nth = 1; nth <= AUTOMATIC_ANSWERS_IN_A_ROW; nth++) assert.strictEqual(yield* askAgain, nth)
      assert.strictEqual(yield* askAgain, AUTOMATIC_ANSWERS_IN_A_ROW)
      assert.strictEqual((yield* plans).at(-1), skipped(SKIP_REASONS.inARow))
      yield* TestClock.adjust("1 second")
      yield* hostThere("It is me.")
      for (let nth = 1; nth <= AUTOMATIC_ANSWERS_IN_A_ROW; nth++)
        assert.strictEqual(yield* askAgain, AUTOMATIC_ANSWERS_IN_A_ROW + nth)
      assert.strictEqual(yield* askAgain, 2 * AUTOMATIC_ANSWERS_IN_A_ROW)
      yield* TestClock.adjust("1 second")
      yield* hostHere("And from here.")
      assert.strictEqual(yield* askAgain, 2 * AUTOMATIC_ANSWERS_IN_A_ROW + 1)
    })
  )

  it.effect("that is another machine is answered five times, however it goes on", () =>
    Effect.gen(function* () {
      const { ask, automaticMessages: automatic, messages } = yield* startInquiry()
      // Answers each of our answers at once, for two hours.
      let heard = -1
      for (let minute = 0; minute < 120; minute++) {
        const ours = (yield* automatic).length
        if (ours > heard) {
          heard = ours
          yield* ask("Thank you for your message! Our Wi-Fi team will be with you shortly.")
        }
        yield* answerAllDue
        yield* TestClock.adjust("1 minute")
      }
      assert.lengthOf(yield* automatic, AUTOMATIC_ANSWERS_IN_A_ROW)
      assert.lengthOf(yield* messages, 2 * AUTOMATIC_ANSWERS_IN_A_ROW + 1)
    })
  )

  it.effect("is left to the person who has written since", () =>
    Effect.gen(function* () {
      const {
        ask,
        automaticMessages: automatic,
        plans,
        sendHostMessage: hostHere,
        writeAsHostAtChannel: hostThere
      } = yield* startInquiry()
      yield* ask("Wi-Fi?")
      yield* dispatchAllEvents
      yield* TestClock.adjust("1 second")
      yield* hostHere("One moment")
      yield* answerAllDue
      yield* TestClock.adjust("1 second")
      yield* ask("Wi-Fi again?")
      yield* dispatchAllEvents
      yield* TestClock.adjust("1 second")
      yield* hostThere("Here it is")
      yield* answerAllDue
      assert.deepStrictEqual(yield* plans, [skipped(SKIP_REASONS.person), skipped(SKIP_REASONS.person)])
      assert.deepStrictEqual(yield* automatic, [])
    })
  )

  it.effect("is not answered while a person writes: what was said meanwhile is looked at first", () =>
    Effect.gen(function* () {
      const { ask, automaticMessages: automatic, plans, sendHostMessage: hostHere } = yield* startInquiry()
      const known = yield* ScriptedAnswers
      yield* TestClock.adjust("1 second")
      yield* known.setAnswer(Effect.as(Effect.orDie(hostHere("I am at it")), [WIFI_ANSWER]))
      yield* ask("Wi-Fi?", { at: new Date(NOW) })
      yield* answerAllDue
      assert.deepStrictEqual(yield* plans, [skipped(SKIP_REASONS.person)])
      assert.deepStrictEqual(yield* automatic, [])
      yield* known.setAnswer(Effect.succeed([WIFI_ANSWER]))
    })
  )

  it.effect(
    "is not answered with what its entry said before, as the guest he was, or by a rule, where that changes meanwhile",
    () =>
      Effect.gen(function* () {
        const known = yield* ScriptedAnswers
        const id = WIFI_ANSWER.knowledge_base_id
        const sql = yield* SqlClient.SqlClient
        interface Change {
          readonly by: (scene: Effect.Success<ReturnType<typeof startInquiry>>) => Effect.Effect<unknown, unknown>
          readonly reason: string
        }
        const changes: Record<string, Change> = {
          edited: {
            by: ({ api, as }) =>
              Effect.flatMap(api.get_knowledge_base({ id }).pipe(as), ({ knowledge_base: { title, contents } }) => {
                const everywhere = { scope_property: { type: "all" }, scope_channel: { type: "all" } } as const
                return api.update_knowledge_base({ id, title, contents, is_enable: false, ...everywhere }).pipe(as)
              }),
            reason: SKIP_REASONS.unknown
          },
          deleted: { by: ({ api, as }) => api.delete_knowledge_base({ id }).pipe(as), reason: SKIP_REASONS.unknown },
          cancelled: {
            by: ({ ingestEvent: hear, listingId: listing }) =>
              hear(makeOrderEvent([makeChannelRoom(listing)], { status: "cancelled", thread_id: "T1", version: 2 })),
            reason: SKIP_REASONS.unknown
          },
          moved: {
            by: ({ api, as, reservations: rows, secondPropertyId: second }) =>
              Effect.flatMap(rows, ([stay]) =>
                api.allocate_stay({ stay_code: stay?.stay_code ?? "", property_id: second }).pipe(as)
              ),
            reason: SKIP_REASONS.unknown
          },
          prolonged: {
            by: ({ ingestEvent: hear, listingId: listing }) =>
              hear(
                makeOrderEvent([makeChannelRoom(listing, { check_out_date: "2027-05-08" })], {
                  thread_id: "T1",
                  version: 2
                })
              ),
            reason: SKIP_REASONS.unknown
          },
          paused: {
            by: ({ ruleId: rule }) => sql`UPDATE automation_rules SET state = 'paused' WHERE id = ${rule}`,
            reason: SKIP_REASONS.noRule
          }
        }
        for (const [what, { by, reason }] of Object.entries(changes)) {
          const scene = yield* startInquiry()
          yield* scene.book()
          const changed = Effect.andThen(Effect.orDie(by(scene)), known.setAnswer(Effect.succeed([])))
          yield* known.setAnswer(Effect.as(changed, [WIFI_ANSWER]))
          yield* scene.ask("Wi-Fi?")
          yield* answerAllDue
          assert.deepStrictEqual(yield* scene.automaticMessages, [], what)
          assert.deepStrictEqual(yield* scene.plans, [skipped(reason)], what)
        }
        yield* known.setAnswer(Effect.succeed([WIFI_ANSWER]))
      })
  )

  it.effect("is answered up to an hour later, and not after", () =>
    Effect.gen(function* () {
      const { ask, automaticMessages: automatic, plans } = yield* startInquiry()
      yield* ask("Wi-Fi?")
      yield* dispatchAllEvents
      yield* TestClock.setTime(NOW + QUESTION_EXPIRY_MS)
      yield* answerAllDue
      assert.lengthOf(yield* automatic, 1)
      yield* ask("Wi-Fi?")
      yield* dispatchAllEvents
      yield* TestClock.setTime(NOW + 2 * QUESTION_EXPIRY_MS + 1)
      yield* answerAllDue
      assert.deepStrictEqual(yield* plans, ["done", skipped(SKIP_REASONS.late)])
    })
  )

  it.effect("of whom many messages wait is answered by so many of them at a time", () =>
    Effect.gen(function* () {
      const { ask, automaticMessages: automatic, plans, answerPartition: lane } = yield* startInquiry()
      for (let nth = 0; nth <= QUESTIONS_PER_ANSWER; nth++) yield* ask(`Wi-Fi ${nth}?`)
      yield* answerAllDue
      assert.lengthOf(yield* automatic, 1)
      assert.strictEqual((yield* lane)?.waiting, 1)
      yield* TestClock.adjust(AUTOMATIC_ANSWER_PAUSE_MS)
      yield* answerAllDue
      assert.lengthOf(yield* automatic, 2)
      assert.strictEqual((yield* plans).filter((each) => each === "done").length, QUESTIONS_PER_ANSWER + 1)
      assert.strictEqual((yield* lane)?.waiting, 0)
    })
  )

  it.effect("is not answered with more than the channel takes", () =>
    Effect.gen(function* () {
      const { ask, automaticMessages: automatic, plans } = yield* startInquiry()
      const known = yield* ScriptedAnswers
      yield* known.setAnswer(Effect.succeed([{ ...WIFI_ANSWER, text: "x".repeat(10_001) }]))
      yield* ask("Wi-Fi?")
      yield* answerAllDue
      assert.match((yield* plans).join(), /^skipped: .*10000 characters .*airbnb$/)
      yield* known.setAnswer(Effect.succeed([{ ...WIFI_ANSWER, text: "x".repeat(10_000) }]))
      yield* ask("Wi-Fi?")
      yield* answerAllDue
      assert.lengthOf(yield* automatic, 1)
      yield* known.setAnswer(Effect.succeed([WIFI_ANSWER]))
    })
  )
})

layer(layerAnsweringService)("somebody who inquires", (it) => {
  it.effect("gets the rule's own text for his first message, with the rule as its source", () =>
    Effect.gen(function* () {
      const { ask, automaticMessages: automatic, messages, plans, ruleId: rule } = yield* startInquiry(GREETING_RULE)
      yield* ask("Is the flat quiet?")
      yield* answerAllDue
      assert.deepStrictEqual(yield* automatic, ["Thank you, Ada."])
      const [, reply] = yield* messages
      assert.deepStrictEqual(reply?.sources[0], {
        type: "automation_reply",
        docs: [{ title: "Thank you", fragment: ["Thank you, Ada."], source_type: "automation_reply", link_id: rule }]
      })
      yield* TestClock.adjust(AUTOMATIC_ANSWER_PAUSE_MS)
      yield* ask("Are you there?")
      yield* answerAllDue
      assert.deepStrictEqual(yield* plans, ["done", skipped(SKIP_REASONS.noRule)])
    })
  )

  it.effect("gets it with what is known as long as both fit together, and else what is known alone", () =>
    Effect.gen(function* () {
      const room = getMessageLimit("airbnb") - `\n\n${WIFI_ANSWER.text}`.length
      const told = Effect.fnUntraced(function* (length: number) {
        const scene = yield* startInquiry({ ...GREETING_RULE, text: "x".repeat(length) }, ANSWER_RULE)
        yield* scene.ask("Is there Wi-Fi?")
        yield* answerAllDue
        const sql = yield* SqlClient.SqlClient
        const [plan] = yield* sql<{ rule_id: number }>`
          SELECT rule_id FROM automation_plans WHERE operator_id = ${scene.operatorId}`
        const [, reply] = yield* scene.messages
        return {
          text: reply?.content,
          sources: reply?.sources.map(({ type }) => type),
          rule: scene.ruleIds.indexOf(plan?.rule_id ?? 0)
        }
      })
      assert.deepStrictEqual(yield* told(room), {
        text: `${"x".repeat(room)}\n\n${WIFI_ANSWER.text}`,
        sources: ["automation_reply", "host_knowledge", "thread"],
        rule: 0
      })
      assert.deepStrictEqual(yield* told(room + 1), {
        text: WIFI_ANSWER.text,
        sources: ["host_knowledge", "thread"],
        rule: 1
      })
    })
  )

  it.effect("gets it before what is known, where there is a rule for both", () =>
    Effect.gen(function* () {
      const { ask, messages } = yield* startInquiry(GREETING_RULE, ANSWER_RULE)
      yield* ask("Is there Wi-Fi?")
      yield* answerAllDue
      const [, reply] = yield* messages
      assert.strictEqual(reply?.content, `Thank you, Ada.\n\n${WIFI_ANSWER.text}`)
      assert.deepStrictEqual(
        reply?.sources.map(({ type }) => type),
        ["automation_reply", "host_knowledge", "thread"]
      )
    })
  )

  it.effect("does not get it for a message that is told of once a later one was answered", () =>
    Effect.gen(function* () {
      const { ask, automaticMessages: automatic, plans } = yield* startInquiry(ANSWER_RULE, GREETING_RULE)
      yield* TestClock.adjust("10 seconds")
      yield* ask("Is there Wi-Fi?")
      yield* answerAllDue
      assert.deepStrictEqual(yield* automatic, [`Thank you, Ada.\n\n${WIFI_ANSWER.text}`])
      yield* TestClock.adjust(AUTOMATIC_ANSWER_PAUSE_MS)
      yield* ask("Hello!", { at: new Date(NOW + 5_000) })
      yield* answerAllDue
      assert.lengthOf(yield* automatic, 1)
      assert.deepStrictEqual(yield* plans, ["done", skipped(SKIP_REASONS.unknown)])
    })
  )

  it.effect("is told the address as what is known of the property", () =>
    Effect.gen(function* () {
      const scene = yield* startInquiry({ ...GREETING_RULE, text: "You find us at {{property.address}}." })
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE properties SET address = 'Quay 1' WHERE id = ${scene.propertyId}`
      const inquiry = {
        listing_id: scene.listingId,
        check_in_date: "2027-06-01",
        check_out_date: "2027-06-05",
        number_of_adults: 1
      }
      yield* scene.ingestEvent(makeThreadEvent({ version: 2, inquiry }))
      yield* scene.ask("Where are you?")
      yield* answerAllDue
      const [, reply] = yield* scene.messages
      assert.deepStrictEqual(
        reply?.sources.map(({ type, docs }) => [type, docs[0]?.fragment, docs[0]?.link_id]),
        [
          ["automation_reply", ["You find us at Quay 1."], scene.ruleId],
          ["checkin_guide", ["Quay 1"], scene.propertyId],
          ["thread", ["Where are you?"], -1]
        ]
      )
    })
  )

  it.effect("gets it as long as his channel takes it, and where it is longer what is known alone", () =>
    Effect.gen(function* () {
      const most = getMessageLimit("airbnb")
      const greets = (length: number) => ({ ...GREETING_RULE, text: "x".repeat(length) })
      const fits = yield* startInquiry(greets(most))
      yield* fits.ask("Is it quiet?")
      yield* answerAllDue
      assert.deepStrictEqual(yield* fits.automaticMessages, ["x".repeat(most)])

      const long = yield* startInquiry(greets(most + 1))
      yield* long.ask("Is it quiet?")
      yield* answerAllDue
      assert.match((yield* long.plans).join(), new RegExp(`^skipped: [^,]*, [^,]* ${most} characters`))

      const known = yield* startInquiry(greets(most + 1), ANSWER_RULE)
      yield* known.ask("Is there Wi-Fi?")
      yield* answerAllDue
      assert.deepStrictEqual(yield* known.automaticMessages, [WIFI_ANSWER.text])
    })
  )

  it.effect("does not get it with an order, after the host has written, or where it cannot be filled", () =>
    Effect.gen(function* () {
      const booked = yield* startInquiry(GREETING_RULE)
      yield* booked.book()
      yield* booked.ask("Is it quiet?")
      yield* answerAllDue
      assert.deepStrictEqual(yield* booked.plans, [skipped(SKIP_REASONS.noRule)])

      const spoken = yield* startInquiry(GREETING_RULE)
      yield* spoken.sendHostMessage("Welcome!")
      yield* TestClock.adjust("1 second")
      yield* spoken.ask("Is it quiet?")
      yield* answerAllDue
      assert.deepStrictEqual(yield* spoken.plans, [skipped(SKIP_REASONS.noRule)])

      const unfilled = yield* startInquiry({ ...GREETING_RULE, text: "Welcome to {{property.name}}" })
      yield* unfilled.ask("Is it quiet?")
      yield* answerAllDue
      assert.match((yield* unfilled.plans).join(), /^skipped: \{\{property\.name\}\}: /)
      assert.deepStrictEqual(yield* unfilled.automaticMessages, [])
    })
  )
})
