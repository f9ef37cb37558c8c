import { Effect } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { NotFound } from "../../contract/errors.ts"
import {
  type AutomationRule,
  type AutomationRuleTest,
  create_automation_rule,
  delete_automation_rule,
  list_automation_rules,
  pause_automation_rule,
  resume_automation_rule,
  test_automation_rule,
  update_automation_rule
} from "../../domain/automation/rules/contract.ts"
import { RuleStore } from "../../domain/automation/rules/store.ts"
import { PAGE_MAX } from "../../platform/limits.ts"
import { callOperation, runOperationCommand } from "./operation-call.ts"
import { readRuleFile } from "./rule-file.ts"

const findRuleOperator = Effect.fnUntraced(function* (id: number) {
  const operatorId = yield* Effect.provide(
    RuleStore.use((store) => store.findOwner(id)),
    RuleStore.layer
  )
  return operatorId ?? (yield* new NotFound({ message: `${RULE_ARGUMENT}: there is no rule ${id}.` }))
})

const RULE_ARGUMENT = "rule"
const ruleArgument = Argument.Int(RULE_ARGUMENT).pipe(Argument.withDescription("rule_id"))
const operatorFlag = Flag.Int("operator").pipe(Flag.withDescription("operator_id"))

const createCommand = Command.make(
  "create",
  {
    operator: operatorFlag,
    file: Flag.String("file").pipe(Flag.withDescription("File with the rule as JSON (see docs/hosts/automation.md)"))
  },
  ({ operator, file }) =>
    runOperationCommand(
      "automation create",
      Effect.flatMap(readRuleFile(file), (definition) => callOperation(create_automation_rule, operator, definition)),
      ({ rule_id }) => `Rule ${rule_id} is active.`
    )
).pipe(
  Command.withDescription("Create a rule that sends messages, reviews or answers, or creates tasks, automatically"),
  Command.withExamples([
    {
      command: "latchkey automation create --operator 1 --file welcome.json",
      description: "Create the rule in welcome.json"
    }
  ])
)

const editCommand = Command.make(
  "edit",
  {
    id: ruleArgument,
    file: Flag.String("file").pipe(
      Flag.withDescription("File with the fields to change, as JSON; null removes a condition")
    )
  },
  ({ id, file }) =>
    runOperationCommand(
      "automation edit",
      Effect.gen(function* () {
        const fields = yield* readRuleFile(file)
        const operatorId = yield* findRuleOperator(id)
        const { version } = yield* callOperation(
          update_automation_rule,
          operatorId,
          { ...fields, id },
          { id: RULE_ARGUMENT }
        )
        return { rule_id: id, version }
      }),
      ({ rule_id, version }) => `Rule ${rule_id} has version ${version}.`
    )
).pipe(Command.withDescription("Change a rule; its upcoming actions are planned again"))

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
    runOperationCommand(
      "automation list",
      Effect.map(callOperation(list_automation_rules, operator, { limit }, { limit: "--limit" }), ({ rules }) => ({
        rules: rules.map(toRuleOutput)
      })),
      ({ rules }) => (rules.length === 0 ? "No rules." : rules.map(formatRule).join("\n"))
    )
).pipe(Command.withDescription("List the rules of an operator, including paused ones"))

const toRuleOutput = ({ id, state, version, active_since, created_at, manageable: _, ...rule }: AutomationRule) => ({
  rule_id: id,
  state,
  version,
  since: active_since,
  created_at,
  rule
})

/** `JSON.stringify` keeps control characters away from the terminal. */
const formatRule = ({ rule_id, state, since, rule }: ReturnType<typeof toRuleOutput>): string =>
  `${rule_id}  ${state} since ${since}  ${rule.action}  ${JSON.stringify(rule.name)}`

const testCommand = Command.make(
  "test",
  {
    id: ruleArgument,
    stay: Flag.String("stay").pipe(Flag.withDescription("stay_code of a stay of the same operator"))
  },
  ({ id, stay }) =>
    runOperationCommand(
      "automation test",
      Effect.flatMap(findRuleOperator(id), (operatorId) =>
        callOperation(
          test_automation_rule,
          operatorId,
          { id, stay_code: stay },
          { id: RULE_ARGUMENT, stay_code: "--stay" }
        )
      ).pipe(Effect.map(toTestOutput)),
      formatTestedRule
    )
).pipe(
  Command.withDescription("Show when a rule would act on a stay and what it would send; sends nothing"),
  Command.withExamples([
    { command: "latchkey automation test 3 --stay 5-ABC", description: "Test rule 3 with that stay" }
  ])
)

/** Release 3.13.0 named the output field `concerns`. */
const toTestOutput = ({ applies_to_stay, ...test }: AutomationRuleTest) => ({ ...test, concerns: applies_to_stay })

const formatTestedRule = ({
  rule_id,
  stay_code,
  scheduled_at,
  text,
  task,
  reason
}: ReturnType<typeof toTestOutput>): string =>
  [
    scheduled_at === null
      ? `Rule ${rule_id} has no scheduled action for ${stay_code}.`
      : `Rule ${rule_id} acts on ${stay_code} at ${scheduled_at}.`,
    ...(text === null ? [] : [JSON.stringify(text)]),
    ...(task === null ? [] : [`Task: ${task.type}, due ${task.expected_date} ${task.expected_time}`]),
    ...(reason === null ? [] : [`It will not act: ${JSON.stringify(reason)}`])
  ].join("\n")

const RULE_CHANGES = {
  pause: pause_automation_rule,
  resume: resume_automation_rule,
  remove: delete_automation_rule
} as const

const makeChangeCommand = (name: keyof typeof RULE_CHANGES, description: string, format: (id: number) => string) =>
  Command.make(name, { id: ruleArgument }, ({ id }) =>
    runOperationCommand(
      `automation ${name}`,
      Effect.gen(function* () {
        yield* callOperation(RULE_CHANGES[name], yield* findRuleOperator(id), { id }, { id: RULE_ARGUMENT })
        return { rule_id: id }
      }),
      ({ rule_id }) => format(rule_id)
    )
  ).pipe(Command.withDescription(description))

const pauseCommand = makeChangeCommand("pause", "Pause a rule until it is resumed", (id) => `Paused rule ${id}.`)
const resumeCommand = makeChangeCommand(
  "resume",
  "Resume a paused rule; actions missed during the pause are skipped",
  (id) => `Resumed rule ${id}.`
)
const removeCommand = makeChangeCommand(
  "remove",
  "Remove a rule and its scheduled actions",
  (id) => `Removed rule ${id}.`
)

export const automationCommand = Command.make("automation").pipe(
  Command.withDescription("Manage the automation rules of an operator"),
  Command.withSubcommands([
    createCommand,
    editCommand,
    listCommand,
    testCommand,
    pauseCommand,
    resumeCommand,
    removeCommand
  ])
)
