import { Effect, Schema } from "effect"
import { type Asking, makeCommonCounts } from "../../../../src/tools/workers/common-counts.ts"
import { makeCounting } from "../../../../src/tools/workers/counting.ts"
import { FromParent, FromWorker, type Told } from "../../../../src/tools/workers/words.ts"

// A parent and a worker in one process. What they say is read as it is read off the wire.

const asked = Schema.decodeUnknownSync(FromWorker)
const answered = Schema.decodeUnknownSync(FromParent)

export const makeParent = () => {
  const counted = makeCounting()
  /** Whether it answers what it is asked; what it was asked meanwhile it answers when it does again. */
  let answers = true
  let owed: Array<() => void> = []
  /** Steps it was asked for. */
  let steps = 0
  const asking = (): Asking => {
    let hear: (told: ReadonlyArray<Told>) => void = () => {}
    return {
      say: (asks) => {
        const heard = asked(structuredClone({ asks }))
        if (!("asks" in heard)) return
        steps += heard.asks.length
        const answer = () => {
          const told = answered({ told: counted(heard.asks) })
          if ("told" in told) hear(told.told)
        }
        if (answers) answer()
        else owed.push(answer)
      },
      hear: (heard) => {
        hear = heard
      }
    }
  }
  return {
    /** What another worker of it counts with. */
    worker: Effect.suspend(() => makeCommonCounts(asking())),
    asked: () => steps,
    falls: () => {
      answers = false
    },
    stands: () => {
      answers = true
      for (const answer of owed) answer()
      owed = []
    }
  }
}
