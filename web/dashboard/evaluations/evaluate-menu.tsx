import { Button, type ButtonProps } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { readGradebook } from '../../api/operations.ts'
import { query } from '../../api/query.ts'
import { MenuButton } from '../../parts/menu-button.tsx'
import { evaluationWords as say } from './words.ts'

interface EvaluateMenuProps extends ButtonProps {
  readonly classId: string
  /** The students to evaluate; all of the class if they are missing. */
  readonly students?: readonly string[]
}

/** Leads to the evaluation of an instructor-led lesson, if the class has any. */
export function EvaluateMenu({ classId, students, ...button }: EvaluateMenuProps) {
  const navigate = useNavigate()
  const { data } = useQuery(query(readGradebook, { classId, limit: 1 }))
  const lessons = (data?.lessons ?? []).filter(({ kind }) => kind === 'instructor-led')
  if (lessons.length === 0) return null
  return (
    <MenuButton
      button={
        <Button variant="default" {...button}>
          {say.evaluateAll}
        </Button>
      }
    >
      {(Menu) =>
        lessons.map(({ lessonId, name }) => (
          <Menu.Item
            key={lessonId}
            onClick={() =>
              void navigate({
                to: '/dashboard/classes/$classId/lessons/$lessonId/evaluate',
                params: { classId, lessonId },
                search: students ? { students: [...students] } : {},
              })
            }
          >
            {name}
          </Menu.Item>
        ))
      }
    </MenuButton>
  )
}
