import { Ajv2020 } from "ajv/dist/2020.js"
import type { Envelope, Fields, Service, Tool } from "./service.ts"

// Who works on a task: a script that knows the shortest path, or a model that has the words alone.

/** Calls a tool as an agent does and answers its data; a refusal ends the script. */
export type Call = (name: string, args: Fields) => Promise<Envelope["data"]>

export interface Work {
  /** What is said at the end. */
  readonly said: string
  readonly calls: number
}

const ajv = new Ajv2020({ strict: false, validateFormats: false })

/** Follows a script, with nothing that an agent has not: tools that are listed, and arguments that fit what is listed. */
export const scripted = async (
  service: Service,
  tools: ReadonlyArray<Tool>,
  script: (call: Call) => Promise<string>
): Promise<Work> => {
  let calls = 0
  const said = await script(async (name, args) => {
    calls += 1
    const tool = tools.find((each) => each.name === name)
    if (tool === undefined) throw new Error(`${name} is not listed`)
    if (!ajv.validate(tool.inputSchema, args)) throw new Error(`${name}: ${ajv.errorsText()}`)
    const [text = "", ...more] = await service.texts(name, args)
    if (more.length > 0) throw new Error(`${name}: ${more.join(" ")}`)
    const { error_code, error_msg, data }: Envelope = JSON.parse(text)
    if (error_code !== 0) throw new Error(`${name}: ${error_code} ${error_msg}`)
    return data
  })
  return { said, calls }
}

export interface Model {
  /** Of an OpenAI-compatible API, up to and without `/chat/completions`. */
  readonly url: string
  readonly name: string
  readonly key: string | undefined
}

/** Answers of a model within one task. */
const TURNS = 20
/** Milliseconds for one of them. */
const TURN_MS = 180_000
/** How often a question is answered before it counts as the end. */
const CONSENTS = 2

interface Message {
  readonly role: string
  readonly content?: string | null
  readonly tool_calls?: ReadonlyArray<{
    readonly id: string
    readonly function: { readonly name: string; readonly arguments: string }
  }>
  readonly tool_call_id?: string
}

const answerOf = async ({ url, name, key }: Model, messages: ReadonlyArray<Message>, tools: ReadonlyArray<Tool>) => {
  const response = await fetch(`${url}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", ...(key === undefined ? {} : { authorization: `Bearer ${key}` }) },
    body: JSON.stringify({
      model: name,
      messages,
      tools: tools.map(({ name: called, description, inputSchema: parameters }) => ({
        type: "function",
        function: { name: called, description, parameters }
      }))
    }),
    signal: AbortSignal.timeout(TURN_MS)
  })
  if (!response.ok) throw new Error(`the model answered ${response.status}: ${(await response.text()).slice(0, 200)}`)
  const { choices } = Object(await response.json())
  const message: Message | undefined = choices?.[0]?.message
  if (message === undefined) throw new Error("the model answered no message")
  return message
}

/** What a tool says to a call that a model wrote; what cannot be read is told, as everything that goes wrong. */
const heard = async (service: Service, name: string, written: string): Promise<string> => {
  try {
    return (await service.texts(name, JSON.parse(written || "{}"))).join("\n")
  } catch (error) {
    return `error: ${error instanceof Error ? error.message : String(error)}`
  }
}

/** Gives a model the words and the tools, does what it calls, and says yes where it asks first. */
export const modelled = async (
  service: Service,
  model: Model,
  tools: ReadonlyArray<Tool>,
  instructions: string,
  words: string
): Promise<Work> => {
  const messages: Array<Message> = [
    { role: "system", content: `${instructions}\n\nToday is ${new Date().toISOString().slice(0, 10)}.` },
    { role: "user", content: words }
  ]
  let [calls, consents] = [0, 0]
  for (let turn = 0; turn < TURNS; turn += 1) {
    const message = await answerOf(model, messages, tools)
    messages.push(message)
    const asked = message.tool_calls ?? []
    for (const { id, function: called } of asked) {
      calls += 1
      messages.push({ role: "tool", tool_call_id: id, content: await heard(service, called.name, called.arguments) })
    }
    if (asked.length > 0) continue
    const said = message.content ?? ""
    if (!said.trim().endsWith("?") || consents === CONSENTS) return { said, calls }
    consents += 1
    messages.push({ role: "user", content: "Yes, go ahead." })
  }
  return { said: "", calls }
}
