import { Effect, Layer } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { BadRequest } from "../../contract/errors.ts"
import { instantText } from "../../contract/time.ts"
import { Rules, type TestedRule } from "../../domain/automation/rules/Rules.ts"
import type { KeptRule } from "../../domain/automation/rules/rule.ts"
import { layerWakeUpOfCommand } from "../../jobs/layer.ts"
import { WakeUp } from "../../jobs/WakeUp.ts"
import { PublicUrl } from "../../platform/installation.ts"
import { PAGE_MAX } from "../../platform/limits.ts"
import { Configuration } from "../../service/configuration.ts"
import { answer } from "./answer.ts"
import { ruleFile } from "./rule-file.ts"

/** With the rules of hosts, under the address at which the service itself is reached. */
const withRules = <A, E, R>(work: (rules: Rules["Service"]) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Configuration, ({ publicUrl }) =>
    Effect.provide(Rules.use(work), Layer.provide(Rules.layer, Layer.succeed(PublicUrl, publicUrl)))
  )

/** The same for a change: the workers of the running service are told when the command ends. */
const changingRules = <A, E, R>(work: (rules: Rules["Service"]) => Effect.Effect<A, E, R>) =>
  withRules(work).pipe(Effect.ensuring(WakeUp.use(({ wake }) => wake)), Effect.provide(layerWakeUpOfCommand))

const id = Argument.Int("rule").pipe(Argument.withDescription("rule_id"))
const operator = Flag.Int("operator").pipe(Flag.withDescription("operator_id"))

const create = Command.make(
  "create",
  {
    operator,
    file: Flag.String("file").pipe(Flag.withDescription("File with the rule as JSON (see docs/automation.md)"))
  },
  ({ operator, file }) =>
    answer(
      "automation create",
      Effect.flatMap(ruleFile(file), (written) => changingRules((rules) => rules.create(operator, written))),
      ({ rule_id }) => `Rule ${rule_id} is active.`
    )
).pipe(
  Command.withDescription("Create a rule that sends messages, reviews or answers automatically"),
  Command.withExamples([
    {
      command: "latchkey automation create --operator 1 --file welcome.json",
      description: "Create the rule in welcome.json"
    }
  ])
)

const list = Command.make(
  "list",
  {
    operator,
    limit: Flag.Int("limit").pipe(
      Flag.withDescription(`Rules to list, oldest first, at most ${PAGE_MAX} (default: ${PAGE_MAX})`),
      Flag.withDefault(PAGE_MAX)
    )
  },
  ({ operator, limit }) =>
    answer(
      "automation list",
      Effect.gen(function* () {
        if (limit < 1 || limit > PAGE_MAX) {
          return yield* new BadRequest({ message: `--limit: must be from 1 to ${PAGE_MAX}.` })
        }
        return { rules: (yield* withRules((rules) => rules.list(operator, limit))).map(listed) }
      }),
      ({ rules }) => (rules.length === 0 ? "No rules." : rules.map(inWords).join("\n"))
    )
).pipe(Command.withDescription("List the rules of an operator, including paused ones"))

const listed = ({ id, state, since, created_at, definition }: KeptRule) => ({
  rule_id: id,
  state,
  since: instantText(since),
  created_at: instantText(created_at),
  rule: definition
})

/** Names are other people's texts: quoted, so that nothing in them moves the cursor. */
const inWords = ({ rule_id, state, since, rule }: ReturnType<typeof listed>): string =>
  `${rule_id}  ${state} since ${since}  ${rule.action}  ${JSON.stringify(rule.name)}`

const test = Command.make(
  "test",
  { id, stay: Flag.String("stay").pipe(Flag.withDescription("stay_code of a stay of the same operator")) },
  ({ id, stay }) =>
    answer(
      "automation test",
      withRules((rules) => rules.test(id, stay)),
      testedInWords
    )
).pipe(
  Command.withDescription("Show when a rule would act on a stay and what it would send; sends nothing"),
  Command.withExamples([
    { command: "latchkey automation test 3 --stay 5-ABC", description: "Test rule 3 with that stay" }
  ])
)

const testedInWords = ({ rule_id, stay_code, scheduled_at, text, reason }: TestedRule): string =>
  [
    scheduled_at === null
      ? `Rule ${rule_id} has no scheduled action for ${stay_code}.`
      : `Rule ${rule_id} acts on ${stay_code} at ${scheduled_at}.`,
    ...(text === null ? [] : [JSON.stringify(text)]),
    ...(reason === null ? [] : [`It will not act: ${JSON.stringify(reason)}`])
  ].join("\n")

type Turning = "pause" | "resume" | "remove"

const turning = (how: Turning, description: string, say: (id: number) => string) =>
  Command.make(how, { id }, ({ id }) =>
    answer(
      `automation ${how}`,
      changingRules((rules) => Effect.as(rules[how](id), { rule_id: id })),
      ({ rule_id }) => say(rule_id)
    )
  ).pipe(Command.withDescription(description))

const pause = turning("pause", "Pause a rule until it is resumed", (id) => `Paused rule ${id}.`)
const resume = turning(
  "resume",
  "Resume a paused rule; actions missed during the pause are skipped",
  (id) => `Resumed rule ${id}.`
)
const remove = turning("remove", "Remove a rule and its scheduled actions", (id) => `Removed rule ${id}.`)

export const automation = Command.make("automation").pipe(
  Command.withDescription("Manage the automation rules of an operator"),
  Command.withSubcommands([create, list, test, pause, resume, remove])
)
