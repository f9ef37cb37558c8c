/** What the first start with the demo prints for its host. */
export interface DemoAccess {
  readonly token: string
  readonly email: string
  readonly password: string
}

/** A data folder after a first start with the demo, as a tar file, and what that start printed. */
export interface DemoSnapshot {
  readonly folderTar: string
  readonly access: DemoAccess
}

/** The last line that the first start with the demo prints. */
export const DEMO_GREETING_END = "The password is not shown"

/** Reads the greeting of the first start with the demo. */
export const parseDemoAccess = (startupOutput: string): DemoAccess => {
  const findPrinted = (pattern: RegExp): string => {
    const printed = pattern.exec(startupOutput)?.[1]
    if (printed === undefined) throw new Error(`the greeting of the demo has no ${pattern.source}: ${startupOutput}`)
    return printed
  }
  return {
    token: findPrinted(/Service-Access-Token: (\S+)"/),
    email: findPrinted(/^ {2}e-mail {4}(\S+)$/m),
    password: findPrinted(/^ {2}password {2}(\S+)$/m)
  }
}
