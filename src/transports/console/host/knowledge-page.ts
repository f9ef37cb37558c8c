import { Clock, Effect, type Schema } from "effect"
import { dateInZone } from "../../../contract/time.ts"
import {
  ask_knowledge_base,
  get_knowledge_base,
  type KnowledgeBase,
  search_knowledge_bases
} from "../../../domain/knowledge/contract.ts"
import { KNOWLEDGE_SHOWN, QUESTION_LENGTH } from "../../../platform/limits.ts"
import { Service } from "../../../service/service.ts"
import { type Html, html, nothing } from "../../docs/html.ts"
import type { ActionError } from "../action-outcome.ts"
import { type KnowledgeScopeChoices, KnowledgeScopes, type KnowledgeTestStays } from "../queries/KnowledgeScopes.ts"
import type { SignedInVisit, SubmittedForm } from "../visit.ts"
import { makeQuery, makeVoidMutation } from "./api-operations.ts"
import { actionForm, disclosure, type FieldFiller, input, parseNumber, queryForm } from "./form-fields.ts"
import {
  type FailedSubmission,
  type HostAction,
  type HostView,
  makeActionError,
  makeHostPage,
  notFoundView,
  readSubmittedAction
} from "./host-page.ts"
import {
  ADD_ENTRY_ACTION,
  CHANGE_ENTRY_ACTION,
  entryForm,
  isUnchangedOrApplied,
  type KnowledgeEntryDetail,
  readEntry
} from "./knowledge/entry-form.ts"
import { PROCESS_STATUS_BADGES, scopeText } from "./knowledge/scope-text.ts"
import { activityLogLink, badge, link, pagination, readIdParam, readOffsetParam, section, table } from "./page-parts.ts"
import { readTestStayCode, testStayFields } from "./test-stay-fields.ts"
import { AUTOMATION_PATH, KNOWLEDGE_PATH } from "./urls.ts"

export const makeKnowledgePage = Effect.gen(function* () {
  const [scopes, service] = [yield* KnowledgeScopes, yield* Service]
  const [queryEntry, mutate] = [makeQuery(service, get_knowledge_base), makeVoidMutation(service)]
  const readEntryId = (form: SubmittedForm) => parseNumber(form.get("id") ?? "")

  const makeEntrySwitch = (is_enable: boolean, message: string): HostAction => ({
    doneMessage: message,
    run: Effect.fnUntraced(function* (visit, form) {
      const { knowledge_base } = yield* queryEntry(visit, { id: readEntryId(form) })
      const { process_status: _processStatus, ...entry } = knowledge_base
      return yield* mutate(visit, form, "update_knowledge_base", { ...entry, is_enable })
    })
  })

  const replaceEntry: HostAction["run"] = Effect.fnUntraced(function* (visit, form) {
    const { knowledge_base: entry } = yield* queryEntry(visit, { id: readEntryId(form) })
    if (!isUnchangedOrApplied(entry, form)) return yield* Effect.fail(entryChangedError)
    return yield* mutate(visit, form, "update_knowledge_base", { id: entry.id, ...readEntry(form) })
  })

  const [renderList, renderEntry] = [
    makeListRenderer(scopes, makeQuery(service, search_knowledge_bases)),
    makeEntryRenderer(scopes, queryEntry)
  ]
  const renderTestQuestion = makeTestQuestionRenderer(scopes, makeQuery(service, ask_knowledge_base))
  return makeHostPage({
    path: KNOWLEDGE_PATH,
    show: (visit, failedSubmission) => {
      const id = readIdParam(visit, "change")
      if (id !== undefined) return renderEntry(visit, id, failedSubmission)
      return visit.query.has("ask") ? renderTestQuestion(visit) : renderList(visit, failedSubmission)
    },
    actions: {
      [ADD_ENTRY_ACTION]: {
        doneMessage: "The entry is added. It is answered from as soon as it is ready, in a few seconds.",
        run: (visit, form) => mutate(visit, form, "create_knowledge_base", readEntry(form))
      },
      [CHANGE_ENTRY_ACTION]: {
        doneMessage: "The entry is changed. What it said before is not told any more.",
        run: replaceEntry
      },
      switch_on: makeEntrySwitch(true, "Guests are answered from the entry again."),
      switch_off: makeEntrySwitch(false, "Guests are not answered from the entry any more."),
      delete_entry: {
        doneMessage: "The entry is deleted.",
        run: (visit, form) => mutate(visit, form, "delete_knowledge_base", { id: readEntryId(form) })
      }
    }
  })
})

type EntryQuery<A> = (visit: SignedInVisit, fields: Schema.JsonObject) => Effect.Effect<A, ActionError>
type EntriesSearch = EntryQuery<{ readonly knowledge_bases: ReadonlyArray<KnowledgeEntry>; readonly total: number }>

const makeListRenderer = (scopes: KnowledgeScopes["Service"], search: EntriesSearch) =>
  Effect.fnUntraced(function* (visit: SignedInVisit, failedSubmission?: FailedSubmission) {
    const offset = readOffsetParam(visit)
    const results = yield* search(visit, { offset, limit: KNOWLEDGE_SHOWN })
    const scopeChoices = yield* scopes.of
    const isRestored = failedSubmission !== undefined && readSubmittedAction(failedSubmission) === ADD_ENTRY_ACTION
    const newEntryForm = disclosure(
      "Write an entry",
      entryForm(visit, { scopes: scopeChoices, failedSubmission }),
      isRestored
    )
    return toView(
      "Knowledge",
      html`<p>What guests ask is answered from these entries, in their own words, where a ${link(AUTOMATION_PATH, "rule")} says so. ${link(`${KNOWLEDGE_PATH}?ask=`, "Try a question")}</p>
${entriesTable(visit, results.knowledge_bases, scopeChoices)}${pagination(visit, { offset, limit: KNOWLEDGE_SHOWN, total: results.total })}${section("Another entry", newEntryForm)}`
    )
  })

const makeEntryRenderer = (
  scopes: KnowledgeScopes["Service"],
  queryEntry: EntryQuery<{ readonly knowledge_base: KnowledgeEntryDetail }>
) => {
  const renderEntry = Effect.fnUntraced(function* (
    visit: SignedInVisit,
    id: number,
    failedSubmission?: FailedSubmission
  ) {
    const { knowledge_base: entry } = yield* queryEntry(visit, { id })
    const scopeChoices = yield* scopes.of
    const form = entryForm(visit, { scopes: scopeChoices, entry, failedSubmission })
    return toView(
      entryTitle(entry),
      html`${BACK_LINK}${section(
        "Change the entry",
        html`<p>${processStatusBadge(entry.process_status)}</p>
${form}`
      )}${activityLogLink(`knowledge_base:${entry.id}`)}`
    )
  })
  return (visit: SignedInVisit, id: number, failedSubmission?: FailedSubmission) =>
    Effect.catchIf(
      renderEntry(visit, id, failedSubmission),
      ({ status }) => status === 404,
      () => Effect.succeed(entryNotFoundView)
    )
}

type AnswerSentence = (typeof ask_knowledge_base.successSchema.Type)["sentences"][number]

const makeTestQuestionRenderer = (
  scopes: KnowledgeScopes["Service"],
  ask: EntryQuery<{ readonly sentences: ReadonlyArray<AnswerSentence> }>
) =>
  Effect.fnUntraced(function* (visit: SignedInVisit) {
    const question = (visit.query.get("ask") ?? "").slice(0, QUESTION_LENGTH)
    const code = readTestStayCode(visit)
    const today = dateInZone(yield* Clock.currentTimeMillis, visit.session.person.caller.timeZone)
    const testStays = yield* scopes.trial(today, code)
    const isQuestionAsked = question.trim() !== "" && testStays.is_known
    const answerHtml = isQuestionAsked
      ? answerResult((yield* ask(visit, { question, ...(code === undefined ? {} : { stay_code: code }) })).sentences)
      : nothing
    return toView(
      "A question tried",
      html`${BACK_LINK}${section("What would a guest be answered?", html`${testQuestionForm(visit, testStays)}${answerHtml}${testStays.is_known ? nothing : NO_STAY_MESSAGE}`)}`
    )
  })

const toView = (title: string, body: Html): HostView => ({ title, body })

const BACK_LINK = html`<p>${link(KNOWLEDGE_PATH, "All entries")}</p>
`

const processStatusBadge = (status: KnowledgeEntry["process_status"]): Html => {
  const [label, kind] = PROCESS_STATUS_BADGES[status]
  return badge(label, kind)
}

const entryNotFoundView = notFoundView(
  "There is no such entry",
  "It may be deleted. All entries are on the page of knowledge."
)

const entryChangedError = makeActionError(
  409,
  "Somebody has changed this entry since the page was shown. Open it again, and change it as it is now."
)

type KnowledgeEntry = typeof KnowledgeBase.Type

const entriesTable = (
  visit: SignedInVisit,
  entries: ReadonlyArray<KnowledgeEntry>,
  scopes: KnowledgeScopeChoices
): Html =>
  section(
    "Entries",
    table(
      { empty: "There are no entries: nothing that guests ask is answered by itself." },
      [
        {
          label: "Entry",
          cell: (entry) =>
            html`<span class="name">${link(`${KNOWLEDGE_PATH}?change=${entry.id}`, entryTitle(entry))}</span>`
        },
        { label: "For", cell: (entry) => scopeText(entry, scopes) },
        { label: "Prepared", cell: ({ process_status }) => processStatusBadge(process_status) },
        { label: "In use", cell: ({ is_enable }) => badge(is_enable ? "on" : "off", is_enable ? "good" : "wait") },
        { label: "Change", cell: (entry) => entryActions(visit, entry) }
      ],
      entries
    )
  )

const entryTitle = ({ id, title }: Pick<KnowledgeEntry, "id" | "title">): string =>
  title.trim() === "" ? `Entry ${id}` : title

const entryActions = (visit: SignedInVisit, entry: KnowledgeEntry): Html => {
  const { id, is_enable } = entry
  const subject = entryTitle(entry)
  const switchForm = is_enable
    ? actionForm(visit, { action: "switch_off", label: "Switch off", subject, id, kind: "plain" })
    : actionForm(visit, { action: "switch_on", label: "Switch on", subject, id, kind: "plain" })
  const deleteForm = actionForm(visit, {
    action: "delete_entry",
    label: "Delete it for good",
    subject,
    id,
    kind: "danger"
  })
  return html`<div class="acts">${switchForm}</div>${disclosure("Delete…", deleteForm)}`
}

const NO_STAY_MESSAGE = html`<p class="message error" role="alert">There is no such stay.</p>
`

const testQuestionForm = (visit: SignedInVisit, { stays }: KnowledgeTestStays): Html => {
  const fillField: FieldFiller = (name) => visit.query.get(name) ?? ""
  return queryForm(
    KNOWLEDGE_PATH,
    html`${input(fillField, { name: "ask", label: "The question", hint: "in any language", isRequired: true, maxlength: QUESTION_LENGTH })}${testStayFields(visit, stays, "somebody who has booked nothing")}`,
    "See what would be answered"
  )
}

const answerResult = (answerSentences: ReadonlyArray<AnswerSentence>): Html =>
  answerSentences.length === 0
    ? html`<div role="status"><p>${badge("nothing would be answered", "wait")} The question would wait for you. No entry that is ready, switched on and for this guest answers it well enough.</p></div>
`
    : html`<div role="status"><p>${badge("would be answered", "good")}</p>
<ul>
${answerSentences.map(
  ({ text, knowledge_base_id, title, sub_title }) =>
    html`<li>${text} <span class="soft">from ${link(`${KNOWLEDGE_PATH}?change=${knowledge_base_id}`, title === "" ? `entry ${knowledge_base_id}` : title)}${sub_title === "" ? nothing : html`, ${sub_title}`}</span></li>
`
)}</ul></div>
`
