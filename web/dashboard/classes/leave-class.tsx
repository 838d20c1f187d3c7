import { Button } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { type ClassDetails, leaveClass, listClasses } from '../../api/operations.ts'
import { useWrite } from '../../api/query.ts'
import { Confirm } from '../../parts/confirm.tsx'
import { notify } from '../../parts/notify.tsx'
import { dashboardWords } from '../words.ts'

const { leave: say } = dashboardWords

/** A button with which a student or an observer leaves the class. */
export function LeaveClass({ classDetails: { classId, name, studentId } }: { readonly classDetails: ClassDetails }) {
  const [isAsked, setAsked] = useState(false)
  const navigate = useNavigate()
  const leave = useWrite(leaveClass, {
    changes: [listClasses],
    onDone: () => {
      notify(say.done(name))
      void navigate({ to: '/dashboard' })
    },
  })
  return (
    <>
      <Button variant="default" onClick={() => setAsked(true)}>
        {say.go}
      </Button>
      <Confirm
        isOpen={isAsked}
        title={say.title(name)}
        go={say.go}
        isPending={leave.isPending}
        error={leave.error}
        onGo={() => leave.mutate({ classId })}
        onClose={() => setAsked(false)}
      >
        {studentId === null ? say.observerText : say.studentText}
      </Confirm>
    </>
  )
}
