import { Clock, Effect, type Schema } from "effect"
import { dateInZone } from "../../../contract/time.ts"
import {
  type AutomationAction,
  type AutomationActionType,
  query_upcoming_automation_actions
} from "../../../domain/automation/contract.ts"
import {
  type AutomationRuleTest,
  type AutomationRuleTrial,
  test_automation_rule,
  try_automation_rule
} from "../../../domain/automation/rules/contract.ts"
import type { StoredRule } from "../../../domain/automation/rules/rule.ts"
import { ACTIONS_SHOWN } from "../../../platform/limits.ts"
import { Service } from "../../../service/service.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import type { ActionError } from "../action-outcome.ts"
import { RuleBook, type RuleBookData } from "../queries/RuleBook.ts"
import type { SignedInVisit } from "../visit.ts"
import { parseRecordId } from "../visit.ts"
import { makeQuery, makeVoidMutation } from "./api-operations.ts"
import {
  CREATE_RULE_ACTION,
  editRuleForm,
  newRuleForm,
  readEditedRule,
  readNewRule,
  SAVE_RULE_ACTION,
  TRY_RULE_ACTION
} from "./automation/new-rule.ts"
import { findRuleKind, toEditedKind } from "./automation/rule-kinds.ts"
import { NEW_RULE_ANCHOR, NEW_RULE_SECTION, rulesSection } from "./automation/rule-list.ts"
import { ruleTestForm, ruleTestResult } from "./automation/rule-test.ts"
import { ruleText } from "./automation/rule-text.ts"
import { ruleTrialSection, startRuleForm } from "./automation/rule-trial.ts"
import { channelName } from "./channel-names.ts"
import { actionForm, disclosure } from "./form-fields.ts"
import { parseNumber } from "./form-values.ts"
import {
  type FailedSubmission,
  type HostAction,
  type HostPage,
  type HostView,
  makeActionError,
  makeHostPage,
  notFoundView
} from "./host-page.ts"
import {
  activityLogLink,
  buttonLink,
  link,
  readIdParam,
  readOffsetParam,
  section,
  table,
  timeHtml,
  timeZoneNote
} from "./page-parts.ts"
import { currentUrlWith } from "./page-url.ts"
import { readTestStayCode } from "./test-stay-fields.ts"
import { AUTOMATION_PATH, stayUrl } from "./urls.ts"

export const makeAutomationPage = Effect.gen(function* () {
  const [ruleBook, service] = [yield* RuleBook, yield* Service]
  const mutate = makeVoidMutation(service)

  const makeRuleSwitch = (
    operation: "pause_automation_rule" | "resume_automation_rule" | "delete_automation_rule",
    message: string
  ): HostAction => ({
    doneMessage: message,
    run: (visit, form) => {
      const id = parseRecordId(form.get("id"))
      return id === undefined
        ? Effect.fail(ruleNotFoundError)
        : Effect.mapError(mutate(visit, form, operation, { id }), (error) =>
            error.status === 404 ? ruleNotFoundError : error
          )
    }
  })

  const makePlanAction = (
    operation: "execute_automation_action" | "delete_automation_action",
    message: string
  ): HostAction => ({
    doneMessage: message,
    run: (visit, form) => mutate(visit, form, operation, { plan_id: parseNumber(form.get("id") ?? "") })
  })

  return makeHostPage({
    path: AUTOMATION_PATH,
    show: makeRenderer(
      ruleBook,
      makeQuery(service, test_automation_rule),
      makeQuery(service, query_upcoming_automation_actions)
    ),
    actions: {
      [TRY_RULE_ACTION]: { doneMessage: "", run: makeTryRule(ruleBook, makeQuery(service, try_automation_rule)) },
      [SAVE_RULE_ACTION]: {
        doneMessage: "Rule saved. Upcoming messages are planned again.",
        run: makeSaveRule(ruleBook, mutate)
      },
      [CREATE_RULE_ACTION]: { doneMessage: "Rule added. It is active now.", run: makeCreateRule(mutate) },
      pause_rule: makeRuleSwitch("pause_automation_rule", "Rule paused."),
      resume_rule: makeRuleSwitch(
        "resume_automation_rule",
        "Rule resumed. Messages missed during the pause stay unsent."
      ),
      remove_rule: makeRuleSwitch("delete_automation_rule", "Rule deleted. Its planned messages are cancelled."),
      do_now: makePlanAction("execute_automation_action", "Sent to the guest now."),
      take_away: makePlanAction("delete_automation_action", "Skipped. The rule continues for other stays.")
    }
  })
})

const missingKindError = makeActionError(400, "Choose a kind of rule.")

const ruleNotFoundError = makeActionError(404, "This rule does not exist any more.")

const makeCreateRule = (mutate: ReturnType<typeof makeVoidMutation>): HostAction["run"] =>
  Effect.fnUntraced(function* (visit, form) {
    const kind = findRuleKind(visit.query.get("new"))
    if (kind === undefined) return yield* Effect.fail(missingKindError)
    yield* mutate(visit, form, "create_automation_rule", readNewRule(form, kind))
    return { _tag: "GoOn", url: AUTOMATION_PATH } as const
  })

type RuleTrialQuery = (
  visit: SignedInVisit,
  fields: Schema.JsonObject
) => Effect.Effect<AutomationRuleTrial, ActionError>

/** Previews the rule of the form: a new one, or one that the form edits. */
const makeTryRule = (ruleBook: RuleBook["Service"], queryTrial: RuleTrialQuery): HostAction["run"] =>
  Effect.fnUntraced(function* (visit, form) {
    const kind = findRuleKind(visit.query.get("new"))
    if (kind !== undefined) {
      const trial = yield* queryTrial(visit, readNewRule(form, kind))
      return toPreview(ruleTrialSection(visit, trial, startRuleForm(visit, form)))
    }
    const { definition } = yield* findEditedRule(ruleBook, visit)
    const trigger = "trigger" in definition ? { trigger: { ...definition.trigger } } : {}
    const trial = yield* queryTrial(visit, { ...trigger, ...readNewRule(form, toEditedKind(definition)) })
    return toPreview(ruleTrialSection(visit, trial, nothing))
  })

const toPreview = (previewHtml: Html) => ({ _tag: "Told", html: previewHtml, keepsForm: true }) as const

const findEditedRule = Effect.fnUntraced(function* (ruleBook: RuleBook["Service"], visit: SignedInVisit) {
  const id = readIdParam(visit, "edit")
  if (id === undefined) return yield* Effect.fail(missingKindError)
  // The date only selects stays for tests, which the form does not need.
  const { rules } = yield* ruleBook.of("1970-01-01", id)
  return rules.find((rule) => rule.id === id) ?? (yield* Effect.fail(ruleNotFoundError))
})

const makeSaveRule = (ruleBook: RuleBook["Service"], mutate: ReturnType<typeof makeVoidMutation>): HostAction["run"] =>
  Effect.fnUntraced(function* (visit, form) {
    const rule = yield* findEditedRule(ruleBook, visit)
    const fields = readEditedRule(form, toEditedKind(rule.definition))
    yield* mutate(visit, form, "update_automation_rule", { id: rule.id, ...fields })
    return { _tag: "GoOn", url: AUTOMATION_PATH } as const
  })

type RuleTestQuery = (visit: SignedInVisit, fields: Schema.JsonObject) => Effect.Effect<AutomationRuleTest, ActionError>

type UpcomingActionsQuery = (
  visit: SignedInVisit,
  fields: Schema.JsonObject
) => Effect.Effect<{ readonly actions: ReadonlyArray<AutomationAction> }, ActionError>

const makeRenderer = (
  ruleBook: RuleBook["Service"],
  queryRuleTest: RuleTestQuery,
  queryUpcomingActions: UpcomingActionsQuery
): HostPage["show"] => {
  const renderView = Effect.fnUntraced(function* (visit: SignedInVisit, failedSubmission?: FailedSubmission) {
    const [testedRuleId, kind] = [readIdParam(visit, "try"), findRuleKind(visit.query.get("new"))]
    const editedRuleId = readIdParam(visit, "edit")
    const today = dateInZone(yield* Clock.currentTimeMillis, visit.session.person.caller.timeZone)
    const ruleBookView = yield* ruleBook.of(today, testedRuleId ?? editedRuleId)
    const editedRule = ruleBookView.rules.find(({ id }) => id === editedRuleId)
    const rule = ruleBookView.rules.find(({ id }) => id === testedRuleId)
    if (rule !== undefined) {
      return toView(
        rule.definition.name,
        html`${BACK_LINK}${yield* renderRuleTest(queryRuleTest, visit, ruleBookView, rule)}${timeZoneNote(visit)}`
      )
    }
    if (editedRule !== undefined) {
      const { definition } = editedRule
      const options = { ...ruleBookView, kind: toEditedKind(definition), rule: definition, failedSubmission }
      return toView(definition.name, html`${BACK_LINK}${editRuleForm(visit, options)}`)
    }
    if ((testedRuleId ?? editedRuleId) !== undefined)
      return notFoundView("Rule not found", "It may be deleted.", BACK_LINK)
    if (kind !== undefined) {
      return toView("New rule", html`${BACK_LINK}${newRuleForm(visit, { ...ruleBookView, kind, failedSubmission })}`)
    }
    const type: AutomationActionType = visit.query.get("show") === "reviews" ? "review" : "message"
    const offset = readOffsetParam(visit)
    const { actions } = yield* queryUpcomingActions(visit, { type, offset, limit: ACTIONS_SHOWN + 1 })
    const plannedSection = plannedActionsSection(visit, type, actions, offset)
    return {
      title: "Automation",
      primaryAction: buttonLink(`#${NEW_RULE_ANCHOR}`, "New rule"),
      body: html`${rulesSection(visit, ruleBookView)}${plannedSection}${NEW_RULE_SECTION}${timeZoneNote(visit)}`
    }
  })
  return renderView
}

const toView = (title: string, body: Html): HostView => ({ title, body })

const BACK_LINK = html`<p>${link(AUTOMATION_PATH, "All rules")}</p>
`

const renderRuleTest = (
  queryRuleTest: RuleTestQuery,
  visit: SignedInVisit,
  ruleBookView: RuleBookData,
  rule: StoredRule
) => {
  const stayCode = readTestStayCode(visit)
  const testResult =
    stayCode === undefined
      ? Effect.succeed(nothing)
      : Effect.match(queryRuleTest(visit, { id: rule.id, stay_code: stayCode }), {
          onSuccess: (result) => ruleTestResult(visit, rule, result),
          onFailure: ({
            status,
            message
          }) => html`<p class="message error" role="alert">${status === 404 ? "This stay does not exist." : message}</p>
`
        })
  return Effect.map(testResult, (resultHtml) =>
    section(
      "Preview on a stay",
      html`<p>${ruleText(rule.definition, ruleBookView.properties)}</p>
${ruleTestForm(visit, rule, ruleBookView.stays)}${resultHtml}${activityLogLink(`automation_rule:${rule.id}`)}`
    )
  )
}

const plannedActionsSection = (
  visit: SignedInVisit,
  type: AutomationActionType,
  actions: ReadonlyArray<AutomationAction>,
  offset: number
): Html => {
  const otherTypeLink =
    type === "message"
      ? link(currentUrlWith(visit, { show: "reviews", offset: undefined }), "Upcoming reviews")
      : link(currentUrlWith(visit, { show: undefined, offset: undefined }), "Upcoming messages")
  const nextPageLink =
    actions.length > ACTIONS_SHOWN
      ? html`<p>${link(currentUrlWith(visit, { offset: offset + ACTIONS_SHOWN }), "Next page")}</p>
`
      : nothing
  const firstPageLink =
    offset > 0
      ? html`<p>${link(currentUrlWith(visit, { offset: undefined }), "First page")}</p>
`
      : nothing
  return section(
    type === "message" ? "Upcoming messages (30 days)" : "Upcoming reviews (30 days)",
    html`<p>${otherTypeLink}</p>
${firstPageLink}${table(
  { empty: type === "message" ? "No upcoming messages." : "No upcoming reviews." },
  [
    { label: "Time", cell: ({ scheduled_at }) => timeHtml(scheduled_at, visit), onPhone: "detail" },
    { label: "Guest", cell: guestCell, onPhone: "title" },
    { label: "Rule", cell: ({ name }) => name || "Answer to a question", onPhone: "detail" },
    { label: "Property", cell: ({ property_title }) => property_title || "Unassigned", onPhone: "detail" },
    { label: "Channel", cell: ({ channel_type }) => channelName(channel_type), onPhone: "detail" },
    { label: "Action", cell: (action) => plannedActionForms(visit, action), onPhone: "side" }
  ],
  actions.slice(0, ACTIONS_SHOWN)
)}${nextPageLink}`,
    "upcoming"
  )
}

const guestCell = ({ stay_code, send_to }: AutomationAction): Html =>
  stay_code === null ? html`${send_to || "Guest"}` : link(stayUrl(stay_code), send_to || stay_code)

const plannedActionForms = (visit: SignedInVisit, { id, name, send_to, type }: AutomationAction): Html => {
  const subject = `${name} for ${send_to || "a guest"}`
  const [summary, button] = type === "review" ? ["Publish now…", "Publish now"] : ["Send now…", "Send now"]
  return html`${disclosure(summary, actionForm(visit, { action: "do_now", label: button, subject, id, kind: "primary" }))}${disclosure("Skip…", actionForm(visit, { action: "take_away", label: "Skip", subject, id, kind: "danger" }))}`
}
