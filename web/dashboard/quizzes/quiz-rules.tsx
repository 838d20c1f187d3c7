import { List } from '@mantine/core'
import type { LessonDetails } from '../../api/operations.ts'
import { Card } from '../../parts/card.tsx'
import { quizWords } from './words.ts'

const { take: say } = quizWords

/** Says what students should know before they start. */
export const QuizRules = ({ lesson: { quiz, threshold } }: { readonly lesson: LessonDetails }) => (
  <Card title={say.rules}>
    <List spacing={4}>
      <List.Item>{quiz?.timeLimit === undefined ? say.noLimit : say.limit(quiz.timeLimit)}</List.Item>
      {threshold !== null && <List.Item>{say.threshold(threshold)}</List.Item>}
      <List.Item>{say.feedback[quiz?.feedback ?? 'end']}</List.Item>
      <List.Item>{say.saves}</List.Item>
    </List>
  </Card>
)
