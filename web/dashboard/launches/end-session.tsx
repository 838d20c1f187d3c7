import { Button, VisuallyHidden } from '@mantine/core'
import { useState } from 'react'
import { Confirm } from '../../parts/confirm.tsx'
import { notify } from '../../parts/notify.tsx'
import { useEndSession } from './use-changes.ts'
import { launchWords } from './words.ts'

const { staff: say } = launchWords

interface EndSessionProps {
  readonly sessionId: string
  /** Name of the student. */
  readonly name: string
  readonly lesson: string
}

/** Lets an instructor end an open session. */
export function EndSession({ sessionId, name, lesson }: EndSessionProps) {
  const [isAsking, setAsking] = useState(false)
  const end = useEndSession()
  return (
    <>
      <Button size="xs" variant="default" onClick={() => setAsking(true)}>
        <span aria-hidden>{say.end}</span>
        <VisuallyHidden>{say.endOf(name, lesson)}</VisuallyHidden>
      </Button>
      <Confirm
        isOpen={isAsking}
        title={say.endTitle}
        go={say.end}
        isPending={end.isPending}
        error={end.error}
        onGo={() =>
          end.mutate(
            { sessionId },
            {
              onSuccess: () => {
                notify(say.endDone)
                setAsking(false)
              },
            },
          )
        }
        onClose={() => setAsking(false)}
      >
        {say.endText}
      </Confirm>
    </>
  )
}
