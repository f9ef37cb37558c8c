import { Clock, Effect, type Schema } from "effect"
import { dateInZone } from "../../../contract/time.ts"
import { get_knowledge_base, type KnowledgeBase, search_knowledge_bases } from "../../../domain/knowledge/contract.ts"
import { type AnswerSentence, KnowledgeAnswers } from "../../../domain/knowledge/search/KnowledgeAnswers.ts"
import { KNOWLEDGE_SHOWN, QUESTION_TEXT } from "../../../platform/limits.ts"
import { Service } from "../../../service/service.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import type { Refused } from "../outcome.ts"
import { KnowledgeScopes, type Scopes, type Trial } from "../queries/KnowledgeScopes.ts"
import type { Form, SignedInVisit } from "../visit.ts"
import { AUTOMATION_PATH, KNOWLEDGE_PATH } from "./addresses.ts"
import { doing, reading } from "./asking.ts"
import { asNumber, behind, type Fill, formOf, input, lookingForm } from "./fields.ts"
import { ADD, CHANGE, type Entry, entryForm, isAsSeen, writtenEntry } from "./knowledge/form.ts"
import { STATES, scopeWords } from "./knowledge/words.ts"
import { actOf, type HostAct, type HostView, hostPage, type NotTaken, notThere, refusal } from "./page.ts"
import { badge, historyLink, idIn, link, offsetIn, pages, section, table } from "./parts.ts"
import { trialStayFields, trialStayIn } from "./trial.ts"

/** What guests' questions are answered from: the entries, one of them to be changed, and a question tried. */
export const makeKnowledgePage = Effect.gen(function* () {
  const [scopes, answers, service] = [yield* KnowledgeScopes, yield* KnowledgeAnswers, yield* Service]
  const [get, act] = [reading(service, get_knowledge_base), doing(service)]
  const ofEntry = (form: Form) => asNumber(form.get("id") ?? "")

  const turning = (is_enable: boolean, done: string): HostAct => ({
    done,
    run: Effect.fnUntraced(function* (visit, form) {
      const { knowledge_base } = yield* get(visit, { id: ofEntry(form) })
      const { process_status: _how, ...entry } = knowledge_base
      return yield* act(visit, form, "update_knowledge_base", { ...entry, is_enable })
    })
  })

  /** Replaces an entry, which must be as the form has seen it. */
  const change: HostAct["run"] = Effect.fnUntraced(function* (visit, form) {
    const { knowledge_base: entry } = yield* get(visit, { id: ofEntry(form) })
    if (!isAsSeen(entry, form)) return yield* Effect.fail(changedMeanwhile)
    return yield* act(visit, form, "update_knowledge_base", { id: entry.id, ...writtenEntry(form) })
  })

  const [all, one] = [listing(scopes, reading(service, search_knowledge_bases)), changing(scopes, get)]
  const asked = asking(scopes, answers)
  return hostPage({
    path: KNOWLEDGE_PATH,
    show: (visit, notTaken) => {
      const id = idIn(visit, "change")
      if (id !== undefined) return one(visit, id, notTaken)
      return visit.query.has("ask") ? asked(visit) : all(visit, notTaken)
    },
    acts: {
      [ADD]: {
        done: "The entry is added. It is answered from as soon as it is ready, in a few seconds.",
        run: (visit, form) => act(visit, form, "create_knowledge_base", writtenEntry(form))
      },
      [CHANGE]: { done: "The entry is changed. What it said before is not told any more.", run: change },
      switch_on: turning(true, "Guests are answered from the entry again."),
      switch_off: turning(false, "Guests are not answered from the entry any more."),
      delete_entry: {
        done: "The entry is deleted.",
        run: (visit, form) => act(visit, form, "delete_knowledge_base", { id: ofEntry(form) })
      }
    }
  })
})

type Reading<A> = (visit: SignedInVisit, fields: Schema.JsonObject) => Effect.Effect<A, Refused>
type Found = Reading<{ readonly knowledge_bases: ReadonlyArray<Listed>; readonly total: number }>

const listing = (scopes: KnowledgeScopes["Service"], search: Found) =>
  Effect.fnUntraced(function* (visit: SignedInVisit, notTaken?: NotTaken) {
    const offset = offsetIn(visit)
    const found = yield* search(visit, { offset, limit: KNOWLEDGE_SHOWN })
    const named = yield* scopes.of(visit.session.person.caller.operatorId)
    const isBack = notTaken !== undefined && actOf(notTaken) === ADD
    const writing = behind("Write an entry", entryForm(visit, { scopes: named, notTaken }), isBack)
    return viewed(
      "Knowledge",
      html`<p>What guests ask is answered from these entries, in their own words, where a ${link(AUTOMATION_PATH, "rule")} says so. ${link(`${KNOWLEDGE_PATH}?ask=`, "Try a question")}</p>
${entryList(visit, found.knowledge_bases, named)}${pages(visit, { offset, limit: KNOWLEDGE_SHOWN, total: found.total })}${section("Another entry", writing)}`
    )
  })

const changing = (scopes: KnowledgeScopes["Service"], get: Reading<{ readonly knowledge_base: Entry }>) => {
  const found = Effect.fnUntraced(function* (visit: SignedInVisit, id: number, notTaken?: NotTaken) {
    const { knowledge_base: entry } = yield* get(visit, { id })
    const named = yield* scopes.of(visit.session.person.caller.operatorId)
    const form = entryForm(visit, { scopes: named, entry, notTaken })
    return viewed(
      calledOf(entry),
      html`${BACK}${section(
        "Change the entry",
        html`<p>${stateOf(entry.process_status)}</p>
${form}`
      )}${historyLink(`knowledge_base:${entry.id}`)}`
    )
  })
  return (visit: SignedInVisit, id: number, notTaken?: NotTaken) =>
    Effect.catchIf(
      found(visit, id, notTaken),
      ({ status }) => status === 404,
      () => Effect.succeed(noEntry)
    )
}

const asking = (scopes: KnowledgeScopes["Service"], answers: KnowledgeAnswers["Service"]) =>
  Effect.fnUntraced(function* (visit: SignedInVisit) {
    const { operatorId, timeZone } = visit.session.person.caller
    const question = (visit.query.get("ask") ?? "").slice(0, QUESTION_TEXT)
    const code = trialStayIn(visit)
    const today = dateInZone(yield* Clock.currentTimeMillis, timeZone)
    const trial = yield* scopes.trial(operatorId, today, code)
    const isAsked = question.trim() !== "" && trial.is_known
    const who = code === undefined ? { stranger: true as const } : { stayCode: code }
    const sentences = isAsked ? yield* answers.ask(operatorId, who, [question]) : []
    const came = isAsked ? answered(sentences) : nothing
    return viewed(
      "A question tried",
      html`${BACK}${section("What would a guest be answered?", html`${askForm(visit, trial)}${came}${trial.is_known ? nothing : NO_STAY}`)}`
    )
  })

const viewed = (title: string, body: Html): HostView => ({ title, body })

const BACK = html`<p>${link(KNOWLEDGE_PATH, "All entries")}</p>
`

const stateOf = (status: Listed["process_status"]): Html => {
  const [words, kind] = STATES[status]
  return badge(words, kind)
}

const noEntry = notThere("There is no such entry", "It may be deleted. All entries are on the page of knowledge.")

const changedMeanwhile = refusal(
  409,
  "Somebody has changed this entry since the page was shown. Open it again, and change it as it is now."
)

type Listed = typeof KnowledgeBase.Type

const entryList = (visit: SignedInVisit, entries: ReadonlyArray<Listed>, scopes: Scopes): Html =>
  section(
    "Entries",
    table(
      { empty: "There are no entries: nothing that guests ask is answered by itself." },
      [
        {
          label: "Entry",
          cell: (entry) =>
            html`<span class="name">${link(`${KNOWLEDGE_PATH}?change=${entry.id}`, calledOf(entry))}</span>`
        },
        { label: "For", cell: (entry) => scopeWords(entry, scopes) },
        { label: "Prepared", cell: ({ process_status }) => stateOf(process_status) },
        { label: "In use", cell: ({ is_enable }) => badge(is_enable ? "on" : "off", is_enable ? "good" : "wait") },
        { label: "Change", cell: (entry) => entryActs(visit, entry) }
      ],
      entries
    )
  )

const calledOf = ({ id, title }: Pick<Listed, "id" | "title">): string => (title.trim() === "" ? `Entry ${id}` : title)

const entryActs = (visit: SignedInVisit, entry: Listed): Html => {
  const { id, is_enable } = entry
  const of = calledOf(entry)
  const turn = is_enable
    ? formOf(visit, { act: "switch_off", button: "Switch off", of, id, kind: "plain" })
    : formOf(visit, { act: "switch_on", button: "Switch on", of, id, kind: "plain" })
  const remove = formOf(visit, { act: "delete_entry", button: "Delete it for good", of, id, kind: "danger" })
  return html`<div class="acts">${turn}</div>${behind("Delete…", remove)}`
}

const NO_STAY = html`<p class="message error" role="alert">There is no such stay.</p>
`

const askForm = (visit: SignedInVisit, { stays }: Trial): Html => {
  const fill: Fill = (name) => visit.query.get(name) ?? ""
  return lookingForm(
    KNOWLEDGE_PATH,
    html`${input(fill, { name: "ask", label: "The question", hint: "in any language", required: true, maxlength: QUESTION_TEXT })}${trialStayFields(visit, stays, "somebody who has booked nothing")}`,
    "See what would be answered"
  )
}

const answered = (sentences: ReadonlyArray<AnswerSentence>): Html =>
  sentences.length === 0
    ? html`<div role="status"><p>${badge("nothing would be answered", "wait")} The question would wait for you. No entry that is ready, switched on and for this guest answers it well enough.</p></div>
`
    : html`<div role="status"><p>${badge("would be answered", "good")}</p>
<ul>
${sentences.map(
  ({ text, knowledge_base_id, title, sub_title }) =>
    html`<li>${text} <span class="soft">from ${link(`${KNOWLEDGE_PATH}?change=${knowledge_base_id}`, title === "" ? `entry ${knowledge_base_id}` : title)}${sub_title === "" ? nothing : html`, ${sub_title}`}</span></li>
`
)}</ul></div>
`
