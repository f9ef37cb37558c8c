import { Effect, Layer } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { BadRequest } from "../../contract/errors.ts"
import { formatUtcInstant } from "../../contract/time.ts"
import { AutomationRules } from "../../domain/automation/rules/AutomationRules.ts"
import type { StoredRule } from "../../domain/automation/rules/rule.ts"
import type { RuleTestResult } from "../../domain/automation/rules/rule-test.ts"
import { WakeUp } from "../../jobs/WakeUp.ts"
import { layerCommandWakeUp } from "../../jobs/wake-up-layers.ts"
import { PublicUrl } from "../../platform/installation.ts"
import { PAGE_MAX } from "../../platform/limits.ts"
import { Configuration } from "../../service/configuration.ts"
import { runCommand } from "./command-runner.ts"
import { readRuleFile } from "./rule-file.ts"

/** With the rules of hosts, under the address at which the service itself is reached. */
const withRules = <A, E, R>(use: (rules: AutomationRules["Service"]) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(Configuration, ({ publicUrl }) =>
    Effect.provide(AutomationRules.use(use), Layer.provide(AutomationRules.layer, Layer.succeed(PublicUrl, publicUrl)))
  )

/** The same for a change: the workers of the running service are told when the command ends. */
const withRuleChange = <A, E, R>(use: (rules: AutomationRules["Service"]) => Effect.Effect<A, E, R>) =>
  withRules(use).pipe(Effect.ensuring(WakeUp.use(({ wake }) => wake)), Effect.provide(layerCommandWakeUp))

const ruleArgument = Argument.Int("rule").pipe(Argument.withDescription("rule_id"))
const operatorFlag = Flag.Int("operator").pipe(Flag.withDescription("operator_id"))

const createCommand = Command.make(
  "create",
  {
    operator: operatorFlag,
    file: Flag.String("file").pipe(Flag.withDescription("File with the rule as JSON (see docs/automation.md)"))
  },
  ({ operator, file }) =>
    runCommand(
      "automation create",
      Effect.flatMap(readRuleFile(file), (definition) => withRuleChange((rules) => rules.create(operator, definition))),
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

const listCommand = Command.make(
  "list",
  {
    operator: operatorFlag,
    limit: Flag.Int("limit").pipe(
      Flag.withDescription(`Rules to list, oldest first, at most ${PAGE_MAX} (default: ${PAGE_MAX})`),
      Flag.withDefault(PAGE_MAX)
    )
  },
  ({ operator, limit }) =>
    runCommand(
      "automation list",
      Effect.gen(function* () {
        if (limit < 1 || limit > PAGE_MAX) {
          return yield* new BadRequest({ message: `--limit: must be from 1 to ${PAGE_MAX}.` })
        }
        return { rules: (yield* withRules((rules) => rules.list(operator, limit))).map(toRuleOutput) }
      }),
      ({ rules }) => (rules.length === 0 ? "No rules." : rules.map(formatRule).join("\n"))
    )
).pipe(Command.withDescription("List the rules of an operator, including paused ones"))

const toRuleOutput = ({ id, state, since, created_at, definition }: StoredRule) => ({
  rule_id: id,
  state,
  since: formatUtcInstant(since),
  created_at: formatUtcInstant(created_at),
  rule: definition
})

/** Names are other people's texts: quoted, so that nothing in them moves the cursor. */
const formatRule = ({ rule_id, state, since, rule }: ReturnType<typeof toRuleOutput>): string =>
  `${rule_id}  ${state} since ${since}  ${rule.action}  ${JSON.stringify(rule.name)}`

const testCommand = Command.make(
  "test",
  {
    id: ruleArgument,
    stay: Flag.String("stay").pipe(Flag.withDescription("stay_code of a stay of the same operator"))
  },
  ({ id, stay }) =>
    runCommand(
      "automation test",
      withRules((rules) => rules.test(id, stay)),
      formatTestedRule
    )
).pipe(
  Command.withDescription("Show when a rule would act on a stay and what it would send; sends nothing"),
  Command.withExamples([
    { command: "latchkey automation test 3 --stay 5-ABC", description: "Test rule 3 with that stay" }
  ])
)

const formatTestedRule = ({ rule_id, stay_code, scheduled_at, text, reason }: RuleTestResult): string =>
  [
    scheduled_at === null
      ? `Rule ${rule_id} has no scheduled action for ${stay_code}.`
      : `Rule ${rule_id} acts on ${stay_code} at ${scheduled_at}.`,
    ...(text === null ? [] : [JSON.stringify(text)]),
    ...(reason === null ? [] : [`It will not act: ${JSON.stringify(reason)}`])
  ].join("\n")

type RuleCommandName = "pause" | "resume" | "remove"

const makeTransitionCommand = (transition: RuleCommandName, description: string, format: (id: number) => string) =>
  Command.make(transition, { id: ruleArgument }, ({ id }) =>
    runCommand(
      `automation ${transition}`,
      withRuleChange((rules) => Effect.as(rules[transition](id), { rule_id: id })),
      ({ rule_id }) => format(rule_id)
    )
  ).pipe(Command.withDescription(description))

const pauseCommand = makeTransitionCommand("pause", "Pause a rule until it is resumed", (id) => `Paused rule ${id}.`)
const resumeCommand = makeTransitionCommand(
  "resume",
  "Resume a paused rule; actions missed during the pause are skipped",
  (id) => `Resumed rule ${id}.`
)
const removeCommand = makeTransitionCommand(
  "remove",
  "Remove a rule and its scheduled actions",
  (id) => `Removed rule ${id}.`
)

export const automationCommand = Command.make("automation").pipe(
  Command.withDescription("Manage the automation rules of an operator"),
  Command.withSubcommands([createCommand, listCommand, testCommand, pauseCommand, resumeCommand, removeCommand])
)
