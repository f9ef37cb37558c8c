import { Deferred, Effect } from "effect"
import { TestClock } from "effect/testing"
import {
  ACTION_FIELD,
  deriveFormToken,
  FORM_KEY_FIELD,
  FORM_TOKEN_FIELD
} from "../../../../../src/transports/console/visit.ts"
import { fieldOfError } from "../../../error-messages.ts"
import { createOperator, type OperatorOptions } from "../../../harness.ts"
import { BaseUrl } from "../../../http-server.ts"
import { signIn } from "../signed-in-pages.ts"

// The host's pages as a browser without a script sees them: they are looked at, and their forms are sent as they are written.

export interface HostPageResponse {
  /** The path and query the page was asked for by. */
  readonly path: string
  readonly status: number
  readonly location: string
  readonly text: string
  readonly headers: Headers
}

/** An operator of its own, and its main account signed in. */
export const createSignedInHost = (options: OperatorOptions = {}) =>
  Effect.flatMap(createOperator(options), (operator) =>
    Effect.map(signIn(operator.accountId), (cookie) => ({ ...operator, cookie }))
  )

const ENTITY_CHARACTERS: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'"
}

/** Text of a page as it is meant. */
export const decodeEntities = (text: string): string =>
  text.replace(/&(?:amp|lt|gt|quot|#39);/g, (sign) => ENTITY_CHARACTERS[sign] ?? sign)

const fetchHostPage = Effect.fnUntraced(function* (path: string, cookie: string, init: RequestInit = {}) {
  const base = yield* BaseUrl
  return yield* Effect.promise(async (): Promise<HostPageResponse> => {
    const headers = { cookie: `latchkey=${cookie}`, ...init.headers }
    const response = await fetch(`${base}${path}`, { redirect: "manual", ...init, headers })
    return {
      path,
      status: response.status,
      location: response.headers.get("location") ?? "",
      text: await response.text(),
      headers: response.headers
    }
  })
})

export const getPage = (cookie: string, path: string) => fetchHostPage(path, cookie)

export type FormValues = Readonly<Record<string, string | ReadonlyArray<string>>>

export const fillForm = (form: URLSearchParams, fields: FormValues): URLSearchParams => {
  for (const [name, values] of Object.entries(fields)) {
    form.delete(name)
    for (const value of [values].flat()) form.append(name, value)
  }
  return form
}

export const postForm = (
  cookie: string,
  path: string,
  form: URLSearchParams,
  headers: Readonly<Record<string, string>> = {}
) => fetchHostPage(path, cookie, { method: "POST", body: form, headers })

/** Sends a form that no page showed: what somebody might make up. */
export const postInventedForm = (cookie: string, path: string, act: string, fields: FormValues = {}) =>
  postForm(
    cookie,
    path,
    fillForm(new URLSearchParams({ [FORM_TOKEN_FIELD]: deriveFormToken(cookie), [ACTION_FIELD]: act }), fields)
  )

/** A form as it stands on a page, and where it is sent. */
export interface PageForm {
  readonly action: string
  readonly form: URLSearchParams
}

/** The forms of a page with a button of that act, each with what its fields have, as a browser would send it. */
export const findForms = ({ text }: Pick<HostPageResponse, "text">, act: string): ReadonlyArray<PageForm> =>
  Array.from(text.matchAll(/<form method="post"[\s\S]*?<\/form>/g), ([form]) => form)
    .filter((form) => form.includes(`name="${ACTION_FIELD}" value="${act}"`))
    .map((form) => ({
      action: decodeEntities(/action="([^"]*)"/.exec(form)?.[1] ?? ""),
      form: fillForm(fieldsOf(form), { [ACTION_FIELD]: act })
    }))

const fieldsOf = (form: string): URLSearchParams => {
  const fields = new URLSearchParams()
  const tags =
    /<input ([^>]*)>|<textarea name="([^"]*)"[^>]*>\n?([^<]*)<\/textarea>|<select name="([^"]*)"[^>]*>([\s\S]*?)<\/select>/g
  for (const [, input, area, areaText, select, options] of form.matchAll(tags)) {
    if (input !== undefined) addInput(fields, input)
    else if (area !== undefined) fields.append(area, decodeEntities(areaText ?? "").replace(/\r?\n/g, "\r\n"))
    else if (select !== undefined) fields.append(select, findSelectedOption(options ?? ""))
  }
  return fields
}

const addInput = (fields: URLSearchParams, input: string): void => {
  const name = decodeEntities(/name="([^"]*)"/.exec(input)?.[1] ?? "")
  const isChoice = /type="(?:checkbox|radio)"/.test(input)
  if (name === "" || (isChoice && !/ checked/.test(input))) return
  fields.append(name, decodeEntities(/value="([^"]*)"/.exec(input)?.[1] ?? ""))
}

const findSelectedOption = (options: string): string => {
  const all = Array.from(options.matchAll(/<option value="([^"]*)"( selected)?/g))
  return decodeEntities((all.find(([, , selected]) => selected !== undefined) ?? all[0])?.[1] ?? "")
}

/** Fills in a form of a page and sends it; `which` of several of that act, the first unless it is said. */
export const fillAndSend = Effect.fnUntraced(function* (
  cookie: string,
  path: string,
  act: string,
  fields: FormValues = {},
  formIndex = 0
) {
  const page = yield* getPage(cookie, path)
  const pageForm = findForms(page, act)[formIndex]
  if (pageForm === undefined)
    return yield* Effect.die(new Error(`${path} has no form ${act}: ${page.status} ${page.text}`))
  return yield* postForm(cookie, pageForm.action, fillForm(pageForm.form, fields))
})

/** The same form twice at once, as an impatient hand sends it: the answers of both. */
export const fillAndSendTwice = Effect.fnUntraced(function* (
  cookie: string,
  path: string,
  act: string,
  fields: FormValues = {}
) {
  const page = yield* getPage(cookie, path)
  const pageForm = findForms(page, act)[0]
  if (pageForm === undefined)
    return yield* Effect.die(new Error(`${path} has no form ${act}: ${page.status} ${page.text}`))
  return yield* sendFormTwice(cookie, path, pageForm, fields)
})

/** The same of a form that stands on a page. */
export const sendFormTwice = Effect.fnUntraced(function* (
  cookie: string,
  path: string,
  pageForm: PageForm,
  fields: FormValues = {}
) {
  const firstAnswered = yield* Deferred.make<void>()
  const submit = Effect.ensuring(
    postForm(cookie, pageForm.action, fillForm(pageForm.form, fields)),
    Deferred.succeed(firstAnswered, undefined)
  )
  // Where something is done outside, the second looks now and then what became of the first, by a clock that stands still here.
  const pollPage = Effect.andThen(
    Deferred.await(firstAnswered),
    Effect.forever(Effect.andThen(TestClock.adjust("200 millis"), getPage(cookie, path)))
  )
  return yield* Effect.raceFirst(Effect.all([submit, submit], { concurrency: 2 }), pollPage)
})

/** A form without the field that tells it from other sites' is taken by no page. */
export const postWithoutToken = (cookie: string, path: string, act: string) =>
  postForm(cookie, path, new URLSearchParams({ [ACTION_FIELD]: act, [FORM_KEY_FIELD]: "x" }))

/** Why a form was not taken. */
export const findAlert = ({ text }: HostPageResponse): string | undefined => {
  const alert = /role="alert">([^<]*)</.exec(text)?.[1]
  return alert === undefined ? undefined : decodeEntities(alert)
}

/** The field that the alert of a page names: "" if the alert names none, undefined if the page has no alert. */
export const findAlertField = (page: HostPageResponse): string | undefined => {
  const alert = findAlert(page)
  return alert === undefined ? undefined : fieldOfError({ error_msg: alert })
}

/** The act that the status message of a page reports, by the page's address; undefined if the page has no such message. */
export const findDoneAction = ({ path, text }: HostPageResponse): string | undefined =>
  /role="status">[^<]/.test(text) ? (new URLSearchParams(path.split("?")[1]).get("done") ?? "") : undefined

/** What the toast of a page says was done. */
export const findNotice = ({ text }: Pick<HostPageResponse, "text">): string | undefined => {
  const notice = /<div class="toast" role="status"><p>([^<]*)</.exec(text)?.[1]
  return notice === undefined ? undefined : decodeEntities(notice)
}

/** Presses the undo of a page's toast, and follows to the page that says what was undone. */
export const pressUndo = Effect.fnUntraced(function* (cookie: string, page: Pick<HostPageResponse, "text">) {
  const toast = /<div class="toast"[\s\S]*?<\/div>/.exec(page.text)?.[0] ?? ""
  const act = /<button name="act" value="([^"]*)">Undo/.exec(toast)?.[1] ?? ""
  const [undo] = findForms({ text: toast }, act)
  if (undo === undefined) return yield* Effect.die(new Error(`there is no undo: ${toast}`))
  const { status, location, text } = yield* postForm(cookie, undo.action, undo.form)
  return status === 303 ? yield* getPage(cookie, location) : yield* Effect.die(new Error(`${status} ${text}`))
})

/** The fields that a page marks as wrong, with the sentence beside each. */
export const findFieldErrors = ({ text }: Pick<HostPageResponse, "text">): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Array.from(
      text.matchAll(/name="([^"]*)"[^>]*aria-invalid="true"[\s\S]*?<span class="field-error">([^<]*)</g),
      ([, name = "", error = ""]) => [name, decodeEntities(error)]
    )
  )

/** Fills in the form of a new rule, and returns the page that shows its trial, with the form that starts it. */
export const tryRule = (cookie: string, path: string, fields: FormValues = {}) =>
  fillAndSend(cookie, path, "try_rule", fields)

/** Tries a new rule, which must be possible, and starts it. */
export const startRule = Effect.fnUntraced(function* (cookie: string, path: string, fields: FormValues = {}) {
  const trial = yield* tryRule(cookie, path, fields)
  const [start] = findForms(trial, "make_rule")
  if (start === undefined) return yield* Effect.die(new Error(`${path} cannot be started: ${trial.text}`))
  const { status, location = "", text } = yield* postForm(cookie, start.action, start.form)
  if (status !== 303) return yield* Effect.die(new Error(`${path} was not started: ${status} ${text}`))
  return yield* getPage(cookie, location)
})

/** Sends a form that must be taken, and follows to the page that says so. */
export const fillAndFollow = Effect.fnUntraced(function* (
  cookie: string,
  path: string,
  act: string,
  fields: FormValues = {},
  formIndex = 0
) {
  const response = yield* fillAndSend(cookie, path, act, fields, formIndex)
  if (response.status !== 303)
    return yield* Effect.die(new Error(`${act}: ${response.status} ${findAlert(response) ?? response.text}`))
  return yield* getPage(cookie, response.location)
})
