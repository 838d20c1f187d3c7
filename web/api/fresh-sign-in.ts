let ask: (() => Promise<boolean>) | undefined

/** Registers the dialog that asks for the password, and returns what removes it. */
export function answerWith(dialog: () => Promise<boolean>): () => void {
  ask = dialog
  return () => {
    ask = undefined
  }
}

/** Asks the person for their password, because an operation needs a fresh sign-in. False if they decline. */
export const confirmSignIn = (): Promise<boolean> => ask?.() ?? Promise.resolve(false)
