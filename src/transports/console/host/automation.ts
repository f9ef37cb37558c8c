import { Clock, Effect, type Schema } from "effect"
import { dateInZone } from "../../../contract/time.ts"
import { type Action, type ActionType, query_upcoming_automation_actions } from "../../../domain/automation/contract.ts"
import { HostRules, type Turning } from "../../../domain/automation/rules/HostRules.ts"
import type { KeptRule, RuleState } from "../../../domain/automation/rules/rule.ts"
import { ACTIONS_SHOWN, AUTOMATION_RULES, RULE_TEXT_SHOWN } from "../../../platform/limits.ts"
import { Service } from "../../../service/service.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import { idempotencyKeyOf } from "../calling.ts"
import { idOf } from "../id.ts"
import type { Refused } from "../outcome.ts"
import { RuleBook, type Shown } from "../queries/RuleBook.ts"
import type { Form, SignedInVisit } from "../visit.ts"
import { AUTOMATION_PATH, KNOWLEDGE_PATH, stayAddress } from "./addresses.ts"
import { doing, reading, refusedAs } from "./asking.ts"
import { KINDS, kindOf } from "./automation/kinds.ts"
import { MAKE, newRuleForm, writtenIn } from "./automation/new-rule.ts"
import { triedRule, tryForm } from "./automation/trying.ts"
import { ruleWords } from "./automation/words.ts"
import { channelWords } from "./channel-words.ts"
import { asNumber, behind, formOf } from "./fields.ts"
import {
  type HostAct,
  type HostPage,
  type HostView,
  hereWith,
  hostPage,
  type NotTaken,
  notThere,
  refusal
} from "./page.ts"
import { badge, historyLink, idIn, link, offsetIn, section, spoken, table, timeOf, zoneOf } from "./parts.ts"
import { trialStayIn } from "./trial.ts"

/** What the service does by itself: the rules, what one would do of a stay, and what they are about to do. */
export const makeAutomationPage = Effect.gen(function* () {
  const [book, rules, service] = [yield* RuleBook, yield* HostRules, yield* Service]
  const act = doing(service)

  const turning = (how: Turning, done: string): HostAct => ({
    done,
    run: ({ session }, form) =>
      rules
        .turn(session.person.caller, ruleIn(form), how, idempotencyKeyOf(form))
        .pipe(Effect.mapError(refusedAs), Effect.as(undefined))
  })

  const ofPlan = (operation: "execute_automation_action" | "delete_automation_action", done: string): HostAct => ({
    done,
    run: (visit, form) => act(visit, form, operation, { plan_id: asNumber(form.get("id") ?? "") })
  })

  return hostPage({
    path: AUTOMATION_PATH,
    show: showing(book, rules, reading(service, query_upcoming_automation_actions)),
    acts: {
      [MAKE]: { done: "The rule is made. It acts from now on.", run: ruleMaking(rules) },
      pause_rule: turning("pause", "The rule is paused. It does nothing until it is resumed."),
      resume_rule: turning("resume", "The rule acts again. What it would have done meanwhile is not made up for."),
      remove_rule: turning("remove", "The rule is removed, and what it was going to do."),
      do_now: ofPlan("execute_automation_action", "It is done: the guest gets it now."),
      take_away: ofPlan("delete_automation_action", "It is taken away. Its rule goes on for other stays.")
    }
  })
})

/** Of a form; 0, which nothing has, where it says none. */
const ruleIn = (form: Form): number => idOf(form.get("id")) ?? 0

const ruleMaking = (rules: HostRules["Service"]): HostAct["run"] =>
  Effect.fnUntraced(function* ({ query, session }, form) {
    const kind = kindOf(query.get("new"))
    if (kind === undefined) return yield* Effect.fail(noKind)
    const made = rules.create(session.person.caller, writtenIn(form, kind), idempotencyKeyOf(form))
    yield* Effect.mapError(made, refusedAs)
    return { _tag: "GoOn", to: AUTOMATION_PATH } as const
  })

const noKind = refusal(400, "It is not said which kind of rule is to be made.")

type Upcoming = (
  visit: SignedInVisit,
  fields: Schema.JsonObject
) => Effect.Effect<{ readonly actions: ReadonlyArray<Action> }, Refused>

/** One rule to be tried, a form for one, or all of them with what they are about to do. */
const showing = (book: RuleBook["Service"], rules: HostRules["Service"], upcoming: Upcoming): HostPage["show"] => {
  const viewOf = Effect.fnUntraced(function* (visit: SignedInVisit, notTaken?: NotTaken) {
    const { operatorId, timeZone } = visit.session.person.caller
    const [tried, kind] = [idIn(visit, "try"), kindOf(visit.query.get("new"))]
    const today = dateInZone(yield* Clock.currentTimeMillis, timeZone)
    const shown = yield* book.of(operatorId, today, tried)
    const rule = shown.rules.find(({ id }) => id === tried)
    if (rule !== undefined) {
      return viewed(rule.definition.name, html`${BACK}${yield* ruleTried(rules, visit, shown, rule)}${zoneOf(visit)}`)
    }
    if (tried !== undefined) return notThere("There is no such rule", "It may be removed.")
    if (kind !== undefined) {
      return viewed("Make a rule", html`${BACK}${newRuleForm(visit, kind, shown.properties, notTaken)}`)
    }
    const type: ActionType = visit.query.get("show") === "reviews" ? "review" : "message"
    const offset = offsetIn(visit)
    const { actions } = yield* upcoming(visit, { type, offset, limit: ACTIONS_SHOWN + 1 })
    const planned = actionList(visit, type, actions, offset)
    return viewed("Automation", html`${ruleList(visit, shown)}${MAKING}${planned}${zoneOf(visit)}`)
  })
  return viewOf
}

const viewed = (title: string, body: Html): HostView => ({ title, body })

const BACK = html`<p>${link(AUTOMATION_PATH, "All rules")}</p>
`

/** What a rule does, and what it would do of the stay that the address names. */
const ruleTried = (rules: HostRules["Service"], visit: SignedInVisit, shown: Shown, rule: KeptRule) => {
  const code = trialStayIn(visit)
  const tried =
    code === undefined
      ? Effect.succeed(nothing)
      : Effect.match(rules.test(rule, code), {
          onSuccess: (came) => triedRule(visit, rule, came),
          onFailure: ({ message }) => html`<p class="message error" role="alert">${message}</p>
`
        })
  return Effect.map(tried, (came) =>
    section(
      "Try it on a stay",
      html`<p>${ruleWords(rule.definition, shown.properties)}</p>
${tryForm(visit, rule, shown.stays)}${came}${historyLink(`automation_rule:${rule.id}`)}`
    )
  )
}

const stateOf = (state: RuleState): Html => (state === "active" ? badge("acts", "good") : badge(spoken(state), "wait"))

const ruleList = (visit: SignedInVisit, { rules, properties }: Shown): Html =>
  section(
    "Rules",
    html`${table(
      { empty: "There are no rules: nothing is done by itself." },
      [
        { label: "Rule", cell: ({ definition }) => html`<strong class="name">${definition.name}</strong>` },
        {
          label: "What it does",
          cell: ({ definition }) => html`${ruleWords(definition, properties)}${textOf(definition)}`
        },
        {
          label: "Stands",
          cell: ({ state }) => stateOf(state)
        },
        { label: "Since", cell: ({ since }) => timeOf(since, visit) },
        { label: "Change", cell: (rule) => ruleActs(visit, rule) }
      ],
      rules
    )}${rules.length === AUTOMATION_RULES ? html`<p>No more than ${AUTOMATION_RULES} rules are possible.</p>` : nothing}`
  )

const textOf = (rule: KeptRule["definition"]): Html => {
  if (rule.action === "answer") return nothing
  const isCut = Array.from(rule.text).length >= RULE_TEXT_SHOWN
  return html`<br><span class="soft name">“${rule.text}${isCut ? " …" : ""}”</span>`
}

const ruleActs = (visit: SignedInVisit, { id, state, definition: { action, name } }: KeptRule): Html => {
  const turn =
    state === "paused"
      ? formOf(visit, { act: "resume_rule", button: "Resume", of: name, id, kind: "plain" })
      : formOf(visit, { act: "pause_rule", button: "Pause", of: name, id, kind: "plain" })
  const remove = formOf(visit, { act: "remove_rule", button: "Remove the rule", of: name, id, kind: "danger" })
  return html`<div class="acts">${action === "answer" ? link(`${KNOWLEDGE_PATH}?ask=`, "Try a question") : link(`${AUTOMATION_PATH}?try=${id}`, "Try on a stay")}${turn}</div>${behind("Remove…", remove)}`
}

const MAKING: Html = section(
  "Make a rule",
  html`<p class="soft">A rule cannot be changed: remove it and make another. Try it on a stay then, to see what it would say.</p>
<ul>
${KINDS.map(
  ({ kind, words }) => html`<li>${link(`${AUTOMATION_PATH}?new=${kind}`, words)}</li>
`
)}</ul>
`
)

const actionList = (visit: SignedInVisit, type: ActionType, actions: ReadonlyArray<Action>, offset: number): Html => {
  const other =
    type === "message"
      ? link(hereWith(visit, { show: "reviews", offset: undefined }), "Reviews to come")
      : link(hereWith(visit, { show: undefined, offset: undefined }), "Messages to come")
  const further =
    actions.length > ACTIONS_SHOWN
      ? html`<p>There are more. ${link(hereWith(visit, { offset: offset + ACTIONS_SHOWN }), "Those after these")}</p>
`
      : nothing
  const first =
    offset > 0
      ? html`<p>${link(hereWith(visit, { offset: undefined }), "From the next on")}</p>
`
      : nothing
  return section(
    type === "message" ? "Messages of the next 30 days" : "Reviews of the next 30 days",
    html`<p>${other}</p>
${first}${table(
  { empty: "Nothing is planned." },
  [
    { label: "When", cell: ({ scheduled_at }) => timeOf(scheduled_at, visit) },
    { label: "Rule", cell: ({ name }) => name || "an answer to a question" },
    { label: "Guest", cell: guestOf },
    { label: "Property", cell: ({ property_title }) => property_title || "none" },
    { label: "Booked at", cell: ({ channel_type }) => channelWords(channel_type) },
    { label: "Do", cell: (action) => actionActs(visit, action) }
  ],
  actions.slice(0, ACTIONS_SHOWN)
)}${further}`,
    "upcoming"
  )
}

const guestOf = ({ stay_code, send_to }: Action): Html =>
  stay_code === null ? html`${send_to || "a guest"}` : link(stayAddress(stay_code), send_to || stay_code)

const actionActs = (visit: SignedInVisit, { id, name, send_to, type }: Action): Html => {
  const of = `${name} for ${send_to || "a guest"}`
  const [summary, button] = type === "review" ? ["Review now…", "Publish the review now"] : ["Send now…", "Send it now"]
  return html`${behind(summary, formOf(visit, { act: "do_now", button, of, id, kind: "primary" }))}${behind("Take away…", formOf(visit, { act: "take_away", button: "Take it away", of, id, kind: "danger" }))}`
}
