import { type Model, modelled, scripted } from "./agents.ts"
import { prepared } from "./ground.ts"
import { Service } from "./service.ts"
import { TASKS } from "./tasks.ts"

export interface Result {
  readonly id: string
  readonly calls: number
  /** Why it is not done; undefined: it is. */
  readonly why: string | undefined
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Looks at what is slow are this far apart and so many. */
const LOOKS = { apartMs: 500, most: 130 }

const isDoneSoon = async (isDone: () => Promise<boolean>, looks: number): Promise<boolean> => {
  if (await isDone()) return true
  if (looks <= 1) return false
  await new Promise((resolve) => setTimeout(resolve, LOOKS.apartMs))
  return isDoneSoon(isDone, looks - 1)
}

/** Has every task worked on, one after the other, by the scripts or by a model, at a service as its first start left it. */
export const evaluated = async (
  base: string,
  token: string,
  model: Model | undefined,
  told: (result: Result) => void = () => {},
  slowLooks: number = LOOKS.most
): Promise<ReadonlyArray<Result>> => {
  const service = new Service(base, token)
  const [tools, instructions, ground] = [await service.tools(), await service.instructions(), await prepared(service)]
  const results: Array<Result> = []
  for (const { id, words, path, isDone, isSlow = false } of TASKS) {
    let calls = 0
    let why: string | undefined
    try {
      const work =
        model === undefined
          ? await scripted(service, tools, (call) => path(call, ground))
          : await modelled(service, model, tools, instructions, words(ground))
      calls = work.calls
      const look = () => isDone(service, ground, work.said)
      why = (await isDoneSoon(look, isSlow ? slowLooks : 1))
        ? undefined
        : `said ${JSON.stringify(work.said.slice(0, 120))}`
    } catch (error) {
      why = reasonOf(error)
    }
    const result = { id, calls, why }
    results.push(result)
    told(result)
  }
  return results
}
