import { Button } from '@mantine/core'
import { useState } from 'react'
import { ApiProblem } from '../../api/call.ts'
import { type CourseDocument, discardCourseDraft, publishCourse } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { notify } from '../../parts/notify.tsx'
import { dashboardWords } from '../words.ts'
import { COURSE_READS } from './course-model.ts'

const { course: say } = dashboardWords

interface DraftProps {
  readonly course: CourseDocument
}

interface PublishProps extends DraftProps {
  readonly isDisabled: boolean
  /** Called if the platform refuses the draft, so that the page can show its mistakes. */
  readonly onMistakes: (error: Error) => void
}

/** A button that publishes the draft as the next version. */
export function Publish({ course: { courseId, version }, isDisabled, onMistakes }: PublishProps) {
  const [isAsked, setAsked] = useState(false)
  const publish = useWrite(publishCourse, {
    changes: COURSE_READS,
    onDone: (done) => {
      setAsked(false)
      notify(say.published(done.version))
    },
  })
  return (
    <>
      <Button disabled={isDisabled} onClick={() => setAsked(true)}>
        {say.publish}
      </Button>
      <Confirm
        isOpen={isAsked}
        title={say.publishTitle((version ?? 0) + 1)}
        go={say.publish}
        isHarmless
        isPending={publish.isPending}
        error={publish.error}
        onGo={() =>
          publish.mutate(
            { courseId },
            {
              onError: (error) => {
                if (!(error instanceof ApiProblem && error.faults.length > 0)) return
                setAsked(false)
                onMistakes(error)
              },
            },
          )
        }
        onClose={() => setAsked(false)}
      >
        {say.publishText}
      </Confirm>
    </>
  )
}

export function Discard({ course: { courseId } }: DraftProps) {
  const [isAsked, setAsked] = useState(false)
  const discard = useWrite(discardCourseDraft, {
    changes: COURSE_READS,
    onDone: () => {
      setAsked(false)
      notify(say.discarded)
    },
  })
  return (
    <>
      <Button variant="subtle" color="gray" onClick={() => setAsked(true)}>
        {say.discard}
      </Button>
      <Confirm
        isOpen={isAsked}
        title={say.discardTitle}
        go={say.discard}
        isPending={discard.isPending}
        error={discard.error}
        onGo={() => discard.mutate({ courseId })}
        onClose={() => setAsked(false)}
      >
        {say.discardText}
      </Confirm>
    </>
  )
}
