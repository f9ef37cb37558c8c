export type LogLineWriter = (line: string) => void

/**
 * Writes all lines of one event-loop turn together, to save system calls. A killed process loses at most the lines of
 * its current turn.
 */
export const makeLineWriter = (stream: Pick<NodeJS.WritableStream, "write">): LogLineWriter => {
  let pendingLines: Array<string> = []
  const write = () => {
    if (pendingLines.length === 0) return
    const text = `${pendingLines.join("\n")}\n`
    pendingLines = []
    stream.write(text)
  }
  process.once("exit", write)
  return (line) => {
    if (pendingLines.length === 0) setImmediate(write)
    pendingLines.push(line)
  }
}
